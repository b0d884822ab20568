/** The merchant's money at the platform, in cents. */
export class PlatformFunds {
  private cents: number;
  /** Every movement, so that the books can be checked in the end. */
  readonly movements: number[] = [];

  constructor(readonly opening: number) {
    this.cents = opening;
  }

  get balance(): number {
    return this.cents;
  }

  has(cents: number): boolean {
    return this.cents >= cents;
  }

  move(cents: number): void {
    this.cents += cents;
    this.movements.push(cents);
  }
}
