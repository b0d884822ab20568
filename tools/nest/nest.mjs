#!/usr/bin/env node
/** The command nest in this repository: npx nest build. nest-cli.json says what it builds. */
import { installTools } from '../../scripts/tools.mjs';

installTools('tools/nest-cli');
await import('../nest-cli/node_modules/@nestjs/cli/bin/nest.js');
