import { Session } from 'node:inspector'

interface Range {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}
interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly Range[] }[]
  }[]
}

/** Tells which blocks of the project's code, and of the packages that read for it, have run. */
export interface BlockCoverage extends Disposable {
  /** How many blocks ran since the last call, or ran ten times as often, that never did before. */
  takeNew(): number
  readonly total: number
}

export function createCoverage(): BlockCoverage {
  const session = new Session()
  const seen = new Set<string>()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

  function take(): Coverage {
    let taken: Coverage = { result: [] }
    session.post('Profiler.takePreciseCoverage', (_, coverage) => {
      taken = coverage as Coverage
    })
    return taken
  }

  return {
    takeNew() {
      const before = seen.size
      for (const { url, functions } of take().result) {
        if (!isRead(url)) continue
        for (const { ranges } of functions) {
          for (const { startOffset, endOffset, count } of ranges) {
            if (count > 0) seen.add(`${url}:${startOffset}:${endOffset}:${Math.floor(Math.log10(count))}`)
          }
        }
      }
      return seen.size - before
    },
    get total() {
      return seen.size
    },
    [Symbol.dispose]() {
      session.disconnect()
    },
  }
}

function isRead(url: string): boolean {
  return (
    url.startsWith('file:') &&
    (/\/(src\/(main|shared)|packages\/overlay\/src)\//.test(url) ||
      /\/node_modules\/(unbash|yaml|jsonc-parser)\//.test(url))
  )
}
