// The page of the control room with the settings of an application.
import './clock.js';
import './environment.js';
