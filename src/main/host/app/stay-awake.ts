import { awakeProgram, keepAwake } from '#adapters/system/keep-awake.ts'
import type { HostOptions } from './host-options.ts'

export interface StayAwakeOptions extends Pick<HostOptions, 'keepAwake' | 'log'> {
  /** Whether the person wants it. */
  readonly isOn: () => boolean
  /** Agents that work now. */
  readonly working: () => number
  readonly every: (milliseconds: number, act: () => void) => Disposable
}

/** Between two looks. A computer falls asleep after minutes. */
const lookMs = 10_000

/** Keeps the computer awake exactly while agents work, where the person wants that. */
export function stayAwake({ keepAwake: ofFrontend, log, isOn, working, every }: StayAwakeOptions): Disposable {
  let held: Disposable | null = null
  let hasFailed = false
  const hold = (): Disposable | null => {
    if (ofFrontend) return ofFrontend()
    const program = awakeProgram()
    if (program === null || hasFailed) return null
    return keepAwake(program, (error) => {
      hasFailed = true
      log('The computer may fall asleep while agents work', error)
    })
  }
  const release = (): void => {
    held?.[Symbol.dispose]()
    held = null
  }
  const looking = every(lookMs, () => {
    if (isOn() && working() > 0) held ??= hold()
    else release()
  })
  return {
    [Symbol.dispose]() {
      looking[Symbol.dispose]()
      release()
    },
  }
}
