/**
 * A queue in which no request waits for the whole of another one: start-time fair queueing. Each item of a request
 * starts one turn after the item before it, and a request that comes later starts at the turn that is now being served:
 * one call behind a request of two hundred is the next or the one after.
 */
export class FairQueue<T> {
  /** Waiting items and their turns, in the order in which they came. */
  private readonly turns = new Map<T, number>();
  /** The turn after each request's last item. Gone with the request. */
  private readonly nextTurns = new WeakMap<object, number>();
  private turn = 0;

  get size(): number {
    return this.turns.size;
  }

  /** Queues an item of a request. */
  push(item: T, request: object): void {
    const start = Math.max(this.turn, this.nextTurns.get(request) ?? 0);
    this.nextTurns.set(request, start + 1);
    this.turns.set(item, start);
  }

  has(item: T): boolean {
    return this.turns.has(item);
  }

  /** Takes out an item that leaves. */
  remove(item: T): void {
    this.turns.delete(item);
  }

  /** Takes out an item because its turn has come. */
  serve(item: T): void {
    this.turn = Math.max(this.turn, this.turns.get(item) ?? 0);
    this.turns.delete(item);
  }

  /** The waiting items in the order of their turns; of equal turns the earlier comer goes first. */
  items(): T[] {
    return [...this.turns].sort(([, one], [, other]) => one - other).map(([item]) => item);
  }
}
