// What is too slow for every frame: run at most so often, and only when things are at rest where it takes long.

export class Rest {
  private last = 0;
  private took = 0;
  private later = 0;

  constructor(private readonly work: () => void, private readonly every: number) {}

  ask(): void {
    window.clearTimeout(this.later);
    const slow = this.took > 40; // ms
    if (!slow && performance.now() - this.last > this.every) this.run();
    else this.later = window.setTimeout(() => this.run(), slow ? 2 * this.every : this.every);
  }

  private run(): void {
    const start = performance.now();
    this.work();
    this.last = performance.now();
    this.took = this.last - start;
  }
}
