// The failed tests of a run, from the reports of Vitest and Playwright. They are named again at the end, because the
// end is what people read first and what CI keeps of a long log.

interface VitestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[]
    }[]
  }[]
}

interface PlaywrightSpec {
  readonly ok: boolean
  readonly file: string
  readonly title: string
  readonly tests: readonly { readonly results: readonly { readonly error?: { readonly message?: string } }[] }[]
}

interface PlaywrightSuite {
  readonly specs?: readonly PlaywrightSpec[]
  readonly suites?: readonly PlaywrightSuite[]
}

interface PlaywrightReport {
  readonly suites: readonly PlaywrightSuite[]
}

const named = 20
const messageLength = 200

/** The failed tests of a report of Vitest, as `file › name: first line of the message`. */
export function vitestFailures(report: VitestReport): readonly string[] {
  return report.testResults.flatMap((file) => {
    const tests = file.assertionResults.filter((test) => test.status === 'failed')
    if (tests.length === 0 && file.status === 'failed') return [lineOf(file.name, 'the whole file', file.message)]
    return tests.map((test) => lineOf(file.name, test.fullName, test.failureMessages?.[0]))
  })
}

/** The failed tests of a report of Playwright, in the same form. */
export function playwrightFailures(report: PlaywrightReport): readonly string[] {
  return report.suites.flatMap(failuresOfSuite)
}

function failuresOfSuite(suite: PlaywrightSuite): readonly string[] {
  const specs = (suite.specs ?? []).filter((spec) => !spec.ok)
  const own = specs.map((spec) => lineOf(spec.file, spec.title, messageOf(spec)))
  return [...own, ...(suite.suites ?? []).flatMap(failuresOfSuite)]
}

function messageOf(spec: PlaywrightSpec): string | undefined {
  return spec.tests.flatMap((test) => test.results).find((result) => result.error)?.error?.message
}

function lineOf(file: string, title: string, message = ''): string {
  return `${file} › ${title}: ${firstLines(message)}`
}

/** The start of a message on one line, without colours and without the lines of the stack. */
function firstLines(message: string): string {
  const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')
  const lines = message.replace(escapes, '').split('\n')
  const told = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('at '))
  return told.join(' | ').slice(0, messageLength)
}

/** The text that names failed tests, at most 20 of them. Empty if none failed. Paths are relative to `root`. */
export function failureList(failures: readonly string[], root: string): string {
  if (failures.length === 0) return ''
  const lines = failures.slice(0, named).map((line) => `- ${line.replace(`${root}/`, '')}`)
  const more = failures.length > named ? [`- and ${failures.length - named} more`] : []
  return `\nFailed:\n${[...lines, ...more].join('\n')}\n`
}

/** How many tests of each file of a report of Vitest did not run. Files without such a test are left out. */
export function vitestSkipped(report: VitestReport): readonly (readonly [string, number])[] {
  return report.testResults.flatMap(({ name, assertionResults }) => {
    const skipped = assertionResults.filter(({ status }) => status !== 'passed' && status !== 'failed')
    return skipped.length === 0 ? [] : [[name, skipped.length] as const]
  })
}

/** One line that names the files with tests that did not run, the most first. Empty for none. */
export function skippedLine(skipped: readonly (readonly [string, number])[]): string {
  if (skipped.length === 0) return ''
  const counts = new Map<string, number>()
  for (const [file, count] of skipped) {
    const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.test\.tsx?$/, '')
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  const named = [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
  return `\nDid not run here: ${named.map(([name, count]) => `${count} in ${name}`).join(', ')}\n`
}
