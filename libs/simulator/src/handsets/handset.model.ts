import { formatMoney } from '@tillkit/pages';
import { NoPromptError } from '../simulator.errors.js';

/** The outcome of a prompt. */
export type PromptAnswer =
  'approves' | 'cancels' | 'mistypes' | 'lacks-funds' | 'over-limit' | 'ignores';

/** A payment prompt on the phone. */
export interface Prompt {
  readonly id: string;
  readonly paymentId: string;
  /** The name of the merchant that requests the payment. */
  readonly merchant: string;
  readonly tillNumber: string;
  readonly amount: number;
  readonly currency: string;
  /** ISO 8601, on the simulator's clock. */
  readonly shownAt: string;
  readonly state: 'open' | PromptAnswer;
  /** True when the customer will not answer the prompt. */
  readonly ignored: boolean;
}

/** An SMS in the inbox. */
export interface InboxMessage {
  readonly at: string;
  readonly from: string;
  readonly text: string;
}

/** Money that came to the wallet of the phone. */
interface ReceivedMoney {
  readonly from: string;
  /** The amount is in units of the currency. */
  readonly amount: number;
  readonly currency: string;
  readonly reference: string;
  /** The time is in milliseconds since 1970, on the simulator's clock. */
  readonly at: number;
  /** The name of the merchant that paid. */
  readonly merchant: string;
}

interface OpenPrompt {
  prompt: Prompt;
  readonly onAnswer: (answer: PromptAnswer) => void;
}

const CLOSED_PROMPTS_KEPT = 20;
const MESSAGES_KEPT = 50;

/** The correct PIN of every handset. */
export const HANDSET_PIN = '1234';

/**
 * A customer's phone: payment prompts, the customer's actions, and the SMS inbox.
 *
 * @publicApi
 */
export class Handset {
  private readonly open = new Map<string, OpenPrompt>();
  private readonly closed: Prompt[] = [];
  private readonly messages: InboxMessage[] = [];
  private on = true;

  constructor(
    readonly phone: string,
    private readonly log: (
      what: string,
      about?: { merchant?: string; paymentId?: string; detail?: string },
    ) => void,
  ) {}

  /** True when the phone is on and can be reached. */
  get isOn(): boolean {
    return this.on;
  }

  /** Returns the latest closed prompts, then the open ones; each oldest first. */
  prompts(): Prompt[] {
    return [...this.closed, ...Array.from(this.open.values(), ({ prompt }) => prompt)];
  }

  /** Enters a PIN in the prompt with this id, or in the oldest open one. @param pin the correct one by default */
  approve(pin: string = HANDSET_PIN, promptId?: string): void {
    this.answer(this.pick(promptId), pin === HANDSET_PIN ? 'approves' : 'mistypes');
  }

  /** Presses cancel. */
  cancel(promptId?: string): void {
    this.answer(this.pick(promptId), 'cancels');
  }

  /** Enters a wrong PIN. */
  wrongPin(promptId?: string): void {
    this.answer(this.pick(promptId), 'mistypes');
  }

  /** Lets the prompt expire without an answer, in every scenario. */
  ignore(promptId?: string): void {
    const open = this.open.get(this.pick(promptId))!;
    open.prompt = { ...open.prompt, ignored: true };
    const { merchant, paymentId } = open.prompt;
    this.log('prompt ignored', { merchant, paymentId });
  }

  /** Switches the phone off. No prompt reaches it, and the scenario does not answer an open prompt. */
  switchOff(): void {
    this.on = false;
    this.log('phone switched off');
  }

  switchOn(): void {
    this.on = true;
    this.log('phone switched on');
  }

  /** Returns the SMS received, oldest first. */
  inbox(): InboxMessage[] {
    return [...this.messages];
  }

  /** Shows a prompt. */
  showPrompt(
    details: Omit<Prompt, 'state' | 'ignored'>,
    onAnswer: (answer: PromptAnswer) => void,
  ): void {
    const prompt: Prompt = { ...details, state: 'open', ignored: false };
    this.open.set(prompt.id, { prompt, onAnswer });
    const { merchant, paymentId, currency, amount, tillNumber } = prompt;
    const detail = `${currency} ${formatMoney(String(amount), currency)} to ${tillNumber}`;
    this.log('prompt shown', { merchant, paymentId, detail });
  }

  /** Answers as the scenario says, unless a person has answered or ignored the prompt or switched the phone off. */
  answerByScenario(promptId: string, answer: PromptAnswer): void {
    const open = this.open.get(promptId);
    if (open && !open.prompt.ignored && this.on) this.answer(promptId, answer);
  }

  /** Closes a prompt that nobody answered. */
  expire(promptId: string): void {
    if (this.open.has(promptId)) this.answer(promptId, 'ignores');
  }

  /** Shows the message about received money. */
  receiveMoney({ from, amount, currency, reference, at, merchant }: ReceivedMoney): void {
    const text = `${reference} confirmed. You have received ${currency} ${formatMoney(String(amount), currency)} from ${from}.`;
    this.receive({ at: new Date(at).toISOString(), from: 'Mobile money', text }, merchant);
  }

  /** @param merchant the name of the merchant that the message is about */
  receive(message: InboxMessage, merchant?: string): void {
    this.messages.push(message);
    if (this.messages.length > MESSAGES_KEPT) this.messages.shift();
    this.log('sms received', { ...(merchant !== undefined && { merchant }), detail: message.text });
  }

  private pick(promptId: string | undefined): string {
    const id = promptId ?? this.open.keys().next().value;
    if (id === undefined || !this.open.has(id)) throw new NoPromptError(this.phone);
    return id;
  }

  private answer(promptId: string, answer: PromptAnswer): void {
    const { prompt, onAnswer } = this.open.get(promptId)!;
    this.open.delete(promptId);
    this.closed.push({ ...prompt, state: answer });
    if (this.closed.length > CLOSED_PROMPTS_KEPT) this.closed.shift();
    const { merchant, paymentId } = prompt;
    this.log('prompt answered', { merchant, paymentId, detail: answer });
    onAnswer(answer);
  }
}
