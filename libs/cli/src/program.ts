import { PAYMENTS_VERSION } from '@tillkit/payments';
import { Command } from 'commander';
import { EXIT_CODES, type CommandContext } from './command-context.js';
import { confirmed } from './command-confirmation.js';
import { complete, type Does } from './command.options.js';
import { addAccounts } from './commands/accounts.command.js';
import { addDeadLetters } from './commands/dead-letters.command.js';
import { addDeliveries } from './commands/deliveries.command.js';
import { addDoctor } from './commands/doctor.command.js';
import { addListen } from './commands/listen.command.js';
import { addMigrate } from './commands/migrate.command.js';
import { addPause } from './commands/pause.command.js';
import { addPayments } from './commands/payments.command.js';
import { addPersonalData } from './commands/personal-data.command.js';
import { addReconcile } from './commands/reconcile.command.js';
import { addRestored } from './commands/restored.command.js';
import { addReviews } from './commands/reviews.command.js';
import { addSign } from './commands/sign.command.js';
import { addSubscriptions } from './commands/subscriptions.command.js';
import { addTrigger } from './commands/trigger.command.js';
import { addVerify } from './commands/verify.command.js';

/** Where the program says how a command ended. */
export interface Ending {
  exit: (code: number) => void;
  /** Gets the help that is printed for a wrong command line. */
  explain: (text: string) => void;
}

/** The `tillkit` command line. All packages have one version. */
export function program(context: CommandContext, { exit, explain }: Ending): Command {
  const root = new Command('tillkit')
    .description('Diagnoses, watches and operates the payments of @tillkit/payments.')
    .version(PAYMENTS_VERSION)
    .addHelpText('after', `\n${EXIT_CODES}`)
    .exitOverride()
    .configureOutput({ writeOut: context.write, writeErr: explain });
  const does: Does = {
    reads: (command, work) => complete(command, context, exit, work),
    changes: (command, target, work) =>
      complete(
        command.option('--yes', 'change it without a question, in a script'),
        context,
        exit,
        confirmed(target, work),
      ),
  };
  for (const add of [
    addDoctor,
    addPayments,
    addReviews,
    addDeliveries,
    addDeadLetters,
    addAccounts,
    addPause,
    addListen,
    addReconcile,
    addRestored,
    addPersonalData,
    addSubscriptions,
    addTrigger,
    addSign,
    addVerify,
    addMigrate,
  ])
    add(root, does);
  return root;
}
