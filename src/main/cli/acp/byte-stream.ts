/** Where bytes of a stream come from: takes what to do with each piece, and with the end. */
type Source = (take: (bytes: Uint8Array) => void, end: () => void) => void

/** Bytes that come from elsewhere as a stream of the protocol's library. Either side may end it, in any order. */
export function byteStream(from: Source): ReadableStream<Uint8Array> {
  let isOpen = true
  return new ReadableStream({
    start(controller) {
      from(
        (bytes) => {
          if (isOpen) controller.enqueue(bytes)
        },
        () => {
          if (isOpen) controller.close()
          isOpen = false
        },
      )
    },
    cancel() {
      isOpen = false
    },
  })
}
