import crashes from './crashes.cjs';

export default crashes.beginRun;
