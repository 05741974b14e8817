import type { HostServices } from '#core/agent/types/services.ts'
import { valuesOf } from '#shared/base/chain.ts'
import type { UserMemoriesView } from '#shared/contract/views/memories.ts'
import { beginsAWord, wordsOf } from '#shared/model/derived/searched-text.ts'

/** `allowed`: what the user's own settings say. */
export function userMemoriesView(
  { userMemories, settings }: Pick<HostServices, 'userMemories' | 'settings'>,
  allowed: boolean,
): UserMemoriesView {
  const memories = [...userMemories.current().values()].map(({ name, text, used, versions }) => ({
    ...{ name, text, used },
    versions: valuesOf(versions),
  }))
  const on = settings().userMemory
  return { memories, on, offByProject: allowed && !on, problem: userMemories.problem() }
}

/** Names of memories whose current name and text contain all the words. They are few, so no index is needed. */
export function searchUserMemory(
  { userMemories }: Pick<HostServices, 'userMemories'>,
  query: string,
): readonly string[] {
  const searched = wordsOf(query)
  if (searched.length === 0) return []
  return [...userMemories.current().values()]
    .filter(({ name, text }) => {
      if (text === null) return false
      const words = wordsOf(`${name}\n${text}`)
      return searched.every((one) => words.some((word) => beginsAWord(one, word)))
    })
    .map(({ name }) => name)
}
