import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const script = join(root, 'scripts/check-structure.mjs')

interface Module {
  readonly path: string
}
/** The check is plain JavaScript, which has no types of its own. */
const { findProblems } = (await import(script)) as {
  readonly findProblems: (modules: readonly Module[], others: readonly string[]) => readonly string[]
}
const { toModule } = (await import(join(root, 'scripts/structure/sources.mjs'))) as {
  readonly toModule: (path: string, text: string) => Module
}

/** Runs the check over these files alone, which is quick. */
function problemsWith(files: Readonly<Record<string, string>>): readonly string[] {
  return findProblems(
    Object.entries(files).map(([path, text]) => toModule(path, text)),
    [],
  )
}

function lint(folder: string) {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  const options = { cwd: folder, encoding: 'utf8' } as const
  return spawnSync(process.execPath, [biome, 'lint', '--max-diagnostics=100', '.'], options)
}

describe('the structure of the sources', () => {
  it('passes the check', () => {
    expect(execFileSync(process.execPath, [script], { encoding: 'utf8' })).toMatch(
      /Structure: \d{3,} files, 0 problems/,
    )
  })

  it.each([
    ['main/core/agent/planted.ts', "import { x } from '#adapters/disk/disk-root.ts'", 'main/core/agent may not import'],
    ['main/core/agent/planted.ts', "import fs from 'node:fs'", 'this room runs without Node'],
    ['main/core/agent/planted.ts', "import fs from 'fs'", 'this room runs without Node'],
    ['main/core/agent/planted.ts', "import ws from 'ws'", 'this room may not use this package'],
    ['main/core/ports/planted.ts', "import { x } from '../branches/drift.ts'", 'main/core/ports may not import'],
    ['main/core/branches/planted.ts', "import type { x } from '../agent/x.ts'", 'main/core/branches may not import'],
    ['renderer/files/planted.ts', "import { planMerge } from '#overlay'", 'renderer/files may not import'],
    ['main/adapters/disk/planted.ts', "import { planMerge } from '#overlay'", 'main/adapters/disk may not import'],
    ['packages/overlay/src/planted.ts', "import { x } from '#shared/base/chain.ts'", 'packages/overlay may not import'],
    ['packages/overlay/src/planted.ts', "import { x } from '../../../src/shared/base/chain.ts'", 'may not import'],
    ['packages/overlay/src/planted.ts', "import { hash } from 'node:crypto'", 'this room runs without Node'],
    ['packages/overlay/src/planted.ts', "import { z } from 'zod'", 'this room may not use this package'],
    ['main/core/trial/planted.ts', "import { x } from '../../../../packages/overlay/src/tree/tree.ts'", 'doors alone'],
    ['main/core/tools/planted.ts', "import type { x } from '../agent/x.ts'", 'main/core/tools may not import'],
    ['main/core/memory/planted.ts', "import type { x } from '../tools/tool.ts'", 'main/core/memory may not import'],
    [
      'main/adapters/disk/planted.ts',
      "import { x } from '../sqlite/rows/schema.ts'",
      'main/adapters/disk may not import',
    ],
    ['main/adapters/disk/planted.ts', "import { x } from '#host/project/x.ts'", 'main/adapters/disk may not import'],
    ['main/host/threads/planted.ts', "import { x } from '../wiring/router.ts'", 'main/host may not import this room'],
    ['main/adapters/disk/planted.ts', "import { app } from 'electron'", 'electron belongs to'],
    ['main/cli/planted.ts', "const x = await import('#core/agent/runtime/runtime.ts')", 'main/cli may not import'],
    ['shared/base/planted.ts', "import { z } from 'zod'", 'this room may not use this package'],
    ['renderer/chat/planted.tsx', "export { x } from '../branches/x.tsx'", 'renderer/chat may not import'],
    ['renderer/ui/planted.tsx', "import { x } from '../state/app-state.ts'", 'renderer/ui may not import'],
    ['renderer/chat/planted.tsx', "import 'node:fs'", 'this room runs without Node'],
    ['renderer/chat/planted.tsx', "import { x } from '../../main/core/a.ts'", 'renderer/chat may not import'],
    ['elsewhere/planted.ts', '', 'belongs to no room'],
    ['main/core/agent/planted.ts', '// line\n'.repeat(501), '501 lines, more than 500'],
    ['shared/base/planted.ts', `function planted() {\n${'  act()\n'.repeat(80)}}`, 'planted has more than 80 lines'],
    [
      'shared/base/planted.ts',
      Array.from({ length: 31 }, (_, at) => `import './x-${at}.ts'\n`).join(''),
      'more than 30',
    ],
    ['main/adapters/mounts/overlay-mounts.ts', '', 'take it out of scripts/structure/exceptions.mjs'],
    ['shared/base/planted.ts', 'export function ' + 'plantedAnd' + 'Unused() {}', 'only tests use its export'],
    ['main/host/planted.ts', 'log.append([])', '1 files outside core write the journal'],
    ['main/cli/planted.ts', 'familyOf(project.services.log.state, id)', 'looks for a thread in the loaded state'],
    ['main/adapters/git/planted.ts', 'const text = readFileSync(file)', 'reads a file whole, whatever it is'],
    ['main/adapters/mcp/planted.ts', 'const answer = await fetch(url)', 'asks another machine itself'],
    ['main/host/planted.ts', "import { request } from 'node:https'", 'asks another machine itself'],
    ['main/host/planted.ts', "import { request } from 'node:http'", 'asks another machine itself'],
    ['main/core/agent/planted.ts', 'await services.mounts.open({}, signal)', 'only core/trial opens views'],
    ['main/host/planted.ts', 'const { open } = services.mounts', 'only core/trial opens views'],
    ['main/core/checks/planted.ts', "import { withHidden } from '../trial/hidden-files.ts'", 'only core/trial opens'],
    ['main/core/agent/planted.ts', "import { openProbe } from '../trial/open-trial.ts'", 'only core/trial opens'],
  ])('fails with a %s that says %s', (file, text, problem) => {
    const problems = problemsWith({ [file]: `${text}\n`.replace(/\n\n$/, '\n') })
    expect(problems.join('\n')).toContain(problem)
  })

  it('keeps tests of a package from the app, and tests of the app from the inside of a package', () => {
    const problems = problemsWith({
      'main/core/trial/planted.ts': '\n',
      'main/core/trial/a.test.ts': "import { x } from '../../../../packages/overlay/src/tree/tree.ts'\n",
      'packages/overlay/src/a.test.ts': "import { x } from '#core/ports/journal.ts'\n",
    }).join('\n')
    expect(problems).toContain('a package is imported by its doors alone')
    expect(problems).toContain(
      'packages/overlay/src/a.test.ts: imports #core/ports/journal.ts: a package knows nothing',
    )
  })

  it('lets tests and the room of trials open views, and comments speak of it', () => {
    const problems = problemsWith({
      'main/core/trial/planted.ts': 'await mounts.open({}, signal)\n',
      'main/core/agent/planted.test.ts': 'await mounts.open({}, signal)\n',
      'main/core/agent/planted.ts': '/** As mounts.open does. */\n',
    })
    expect(problems.join('\n')).not.toContain('core/trial')
  })

  it('fails with two files that import each other, even if only types', () => {
    const problems = problemsWith({
      'shared/base/one.ts': "import type { Two } from './two.ts'\n",
      'shared/base/two.ts': "import type { One } from './one.ts'\n",
    })
    expect(problems).toContain('These files import each other: shared/base/one.ts, shared/base/two.ts')
  })

  it('fails with an export that only a test uses', () => {
    const planted = 'planted' + 'ForTests'
    const problems = problemsWith({
      'shared/base/planted.ts': `/** ${planted} */\nexport function ${planted}() {}\n`,
      'shared/base/planted.test.ts': `${planted}()\n`,
    })
    expect(problems).toContain(`src/shared/base/planted.ts: only tests use its export ${planted}, or nothing does`)
  })

  it('fails with a folder of 21 files', () => {
    const files = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`shared/base/deep/file-${at}.ts`, '\n']))
    expect(problemsWith(files)).toContain('src/shared/base/deep: 21 files, more than 20')
  })

  it('fails when nothing is checked', () => {
    const empty = mkdtempSync(join(tmpdir(), 'coppice-empty-'))
    const { status, stderr } = spawnSync(process.execPath, [script, empty], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toContain('No file was checked')
  })

  it('has no floating promise, which the linter checks', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-floating-'))
    for (const name of ['biome.json', 'package.json', '.gitignore']) cpSync(join(root, name), join(folder, name))
    execFileSync('git', ['init', '-q'], { cwd: folder })
    const text = (call: string) =>
      `async function later(): Promise<void> {}\n\nexport async function act(): Promise<void> {\n  ${call}\n}\n`
    mkdirSync(join(folder, 'src/shared/base'), { recursive: true })
    writeFileSync(join(folder, 'src/shared/base/floating.ts'), text('later()'))
    writeFileSync(join(folder, 'src/shared/base/awaited.ts'), text('await later()'))
    const { status, stdout, stderr } = lint(folder)
    expect(`${stdout}${stderr}`).toContain('floating.ts:4:3 lint/nursery/noFloatingPromises')
    expect(`${stdout}${stderr}`).not.toContain('awaited.ts')
    expect(status).toBe(1)
  })
})
