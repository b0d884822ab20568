import './mutant.js';

throw new Error('this file never loads');
