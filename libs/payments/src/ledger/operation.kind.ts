import type { TillAliases } from '../values/till-number.js';
import type { Assessment, Decision, Known } from './assessment.js';
import type { NewEvent } from './new-event.js';
import type { OperationChange } from './operation.changes.js';
import type { Operation } from './operation.js';

/** What differs between the kinds of operations. The ledger does the rest. All methods are pure. */
export abstract class OperationKind<O extends Operation = Operation, Content = unknown> {
  /** The `kind` of its operations. */
  abstract readonly name: string;

  /** Says what evidence means for an operation, whatever its state is. */
  abstract assess(operation: O, content: Content, aliases: TillAliases): Assessment;

  /** Decides what an assessment does in the present state. The order of evidence does not change the final state. */
  abstract decide(operation: O, assessment: Assessment, known: Known): Decision;

  /** The events that a change emits. */
  abstract events(before: O, after: O, change: OperationChange): NewEvent[];
}

/** All kinds of operations, by name. */
export class OperationKinds {
  private readonly kinds: ReadonlyMap<string, OperationKind<never, never>>;

  constructor(kinds: readonly OperationKind<never, never>[]) {
    this.kinds = new Map(kinds.map((kind) => [kind.name, kind]));
  }

  /** @throws Error when this version does not have the kind */
  of<O extends Operation>({ kind, id }: O): OperationKind<O> {
    const found = this.kinds.get(kind);
    if (!found)
      throw new Error(`operation ${id} is of the kind "${kind}", which this version lacks`);
    return found as unknown as OperationKind<O>;
  }
}
