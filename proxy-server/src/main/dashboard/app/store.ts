import { useEffect, useState } from 'preact/hooks';

/** Value that components follow: they are rendered again when it is set. */
export class Store<T> {
  private readonly listeners = new Set<(value: T) => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    this.value = value;
    for (const listener of [...this.listeners]) {
      listener(value);
    }
  }

  /** Hook: the value, followed for as long as the component lives. */
  use(): T {
    const [, render] = useState<object>({});
    const seen = this.value;
    useEffect(() => {
      const listener = () => render({});
      this.listeners.add(listener);
      if (seen !== this.value) {
        listener();
      }
      return () => void this.listeners.delete(listener);
    }, []);
    return this.value;
  }
}
