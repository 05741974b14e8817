import { describe, expect, it } from 'vitest'
import { CommandError } from './command.ts'
import { mergeInGroups } from './merge-groups.ts'

const ids = Array.from({ length: 60 }, (_, index) => index + 1)
const stored = (group: readonly number[]) => ({
  sequence: group[0] ?? null,
  sequences: group.filter((id) => id % 10 !== 0),
  answer: group.filter((id) => id % 10 === 0),
})
const movedOn = () => new CommandError('conflict', 'These files changed.')

describe('merging many branches', () => {
  it('merges all of them in order, in groups, and lets other work run after each', async () => {
    const seen: (number | 'pause')[] = []
    const merged = await mergeInGroups(
      ids,
      async (group) => {
        seen.push(group.length)
        return stored(group)
      },
      async () => void seen.push('pause'),
    )
    expect(seen).toEqual([25, 'pause', 25, 'pause', 10, 'pause'])
    expect(merged).toEqual({ sequences: stored(ids).sequences, left: stored(ids).answer })
  })

  it('prepares a group again that changed meanwhile, and says so when it changes again', async () => {
    const refuseTimes = (times: number) => {
      let left = times
      return async (group: readonly number[]) => {
        if (group[0] === 26 && left-- > 0) throw movedOn()
        return stored(group)
      }
    }
    const pause = async () => undefined
    expect((await mergeInGroups(ids, refuseTimes(1), pause)).sequences).toEqual(stored(ids).sequences)
    await expect(mergeInGroups(ids, refuseTimes(2), pause)).rejects.toThrow('These files changed.')
  })
})
