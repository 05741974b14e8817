/** Does it to all, so many at once. After a failure nothing more is begun, and it is thrown when all that was begun has ended. */
export async function forAll<Item>(
  items: Iterable<Item>,
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items].values()
  let failed = false
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (failed) return
      try {
        await act(item)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}
