import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const script = join(root, 'scripts/check-rooms.mjs')

/** Runs the check over a copy of the sources with one more file in it. */
function checkWith(file: string, text: string): { readonly status: number | null; readonly stderr: string } {
  const source = join(mkdtempSync(join(tmpdir(), 'coppice-rooms-')), 'src')
  cpSync(join(root, 'src'), source, { recursive: true })
  mkdirSync(dirname(join(source, file)), { recursive: true })
  writeFileSync(join(source, file), text)
  const { status, stderr } = spawnSync(process.execPath, [script, source], { encoding: 'utf8' })
  return { status, stderr }
}

describe('directions between rooms', () => {
  it('hold for the sources as they are', () => {
    expect(execFileSync(process.execPath, [script], { encoding: 'utf8' })).toMatch(
      /Rooms: \d{3,} files, 0 wrong imports/,
    )
  })

  it.each([
    ['main/core/agent/planted.ts', "import { x } from '#adapters/disk/disk-root.ts'", 'main/core may not import'],
    ['main/core/agent/planted.ts', "import fs from 'node:fs'", 'may not use this package'],
    ['main/core/ports/planted.ts', "import { x } from '../overlay/tree.ts'", 'main/core/ports may not import'],
    [
      'main/core/overlay/planted.ts',
      "import type { x } from '../agent/settings.ts'",
      'main/core/overlay may not import',
    ],
    [
      'main/adapters/disk/planted.ts',
      "import { x } from '../sqlite/migrations.ts'",
      'adapters do not import each other',
    ],
    ['main/adapters/disk/planted.ts', "import { x } from '#host/create-host.ts'", 'main/adapters may not import'],
    ['main/adapters/disk/planted.ts', "import { app } from 'electron'", 'electron belongs to'],
    ['main/cli/planted.ts', "const x = await import('#core/agent/runtime/runtime.ts')", 'main/cli may not import'],
    ['shared/model/planted.ts', "import { z } from 'zod'", 'may not use this package'],
    ['renderer/chat/planted.tsx', "export { x } from '../branches/x.tsx'", 'regions do not import each other'],
    ['renderer/ui/planted.tsx', "import { x } from '../state/app-state.ts'", 'ui knows no region and no state'],
    ['renderer/chat/planted.tsx', "import 'node:fs'", 'the renderer has no Node'],
    ['renderer/chat/planted.tsx', "import { x } from '../../main/core/agent/runtime.ts'", 'renderer may not import'],
    ['elsewhere/planted.ts', '', 'belongs to no room'],
  ])('%s with %s is refused', (file, text, problem) => {
    const { status, stderr } = checkWith(file, `${text}\n`)
    expect(status).toBe(1)
    expect(stderr).toContain(problem)
  })

  it('fail when nothing is checked', () => {
    const { status, stderr } = spawnSync(process.execPath, [script, mkdtempSync(join(tmpdir(), 'coppice-empty-'))], {
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stderr).toContain('No file was checked')
  })

  it('are restricted by the linter too, in every room', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-lint-'))
    for (const name of ['biome.json', 'package.json', '.gitignore']) cpSync(join(root, name), join(folder, name))
    execFileSync('git', ['init', '-q'], { cwd: folder })
    const planted = [
      ['src/shared/model/a.ts', 'node:fs'],
      ['src/main/core/agent/a.ts', '#adapters/disk/disk-root.ts'],
      ['src/main/adapters/disk/a.ts', '#host/create-host.ts'],
      ['src/main/host/a.ts', 'electron'],
      ['src/main/cli/a.ts', '#core/agent/runtime.ts'],
      ['src/preload/a.ts', '#host/create-host.ts'],
      ['src/renderer/chat/a.ts', 'node:fs'],
    ] as const
    for (const [file, specifier] of planted) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), `import { x } from '${specifier}'\n\nexport const y = x\n`)
    }
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
    const { stdout, stderr } = spawnSync(process.execPath, [biome, 'lint', '--max-diagnostics=100', '.'], {
      cwd: folder,
      encoding: 'utf8',
    })
    const reported = planted.filter(([file]) => `${stdout}${stderr}`.includes(`${file}:1:`))
    expect(reported).toEqual(planted)
  })
})
