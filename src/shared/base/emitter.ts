/** Announces events to listeners. A listener that throws does not stop the others. */
export interface Emitter<Event> {
  emit(event: Event): void
  subscribe(listener: (event: Event) => void): Disposable
}

export function createEmitter<Event>(onListenerError: (error: unknown) => void): Emitter<Event> {
  const listeners = new Set<(event: Event) => void>()
  return {
    emit(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event)
        } catch (error) {
          onListenerError(error)
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
  }
}
