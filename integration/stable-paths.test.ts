import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { MountStrategy } from '#core/ports/branch-mounts.ts'
import { openCommandsWorld } from '../src/main/host/testing/commands-world.testkit.ts'

const has = (program: string, ...parameters: readonly string[]) => spawnSync(program, parameters).status === 0
/** A version manager would start another one, which commands may not reach. */
const python = '/usr/bin/python3'
const copy: MountStrategy = { kind: 'copy', reason: 'asked for' }
await using probing = await openCommandsWorld()
const here = await probing.mounts.findStrategy()
const isConfined = probing.sandbox.state.state !== 'off'

describe.runIf(isConfined).each(here.kind === 'overlay' ? [here, copy] : [copy])('a command ($kind)', (strategy) => {
  const open = () => openCommandsWorld({ mounts: { probe: async () => strategy } })

  it('runs at the path of the project, with the same home in every branch', async () => {
    await using world = await open()
    const seen = await Promise.all(
      ['one', 'two'].map((owner) => world.run('pwd; echo $HOME $TMPDIR; cat src/a.txt', { owner })),
    )
    expect(seen.map(({ output }) => output)).toEqual(
      Array(2).fill(`${world.place('root')}\n/run/coppice-home /tmp\none\n`),
    )
  })

  it.runIf(has(python, '-c', 'import venv'))('uses a Python venv that another branch made', async () => {
    await using world = await open()
    const made = await world.run(`${python} -m venv --without-pip node_modules/venv && cd node_modules/venv
      echo 'answer = 42' > "$(bin/python -c 'import site; print(site.getsitepackages()[0])')/installed.py"
      printf '#!%s/bin/python\nimport installed; print(installed.answer)\n' "$PWD" > bin/tool; chmod +x bin/tool`)
    expect(made).toMatchObject({ output: '', exitCode: 0 })
    world.fork('branch', 'fork')
    const used = await world.run('. node_modules/venv/bin/activate; tool; echo $VIRTUAL_ENV', { owner: 'fork' })
    expect(used).toMatchObject({ output: `42\n${world.place('root')}/node_modules/venv\n`, exitCode: 0 })
  })

  const hasCompiler = has('cmake', '--version') && has('cc', '--version')
  it.runIf(hasCompiler)('builds on with a CMake cache that another branch made', async () => {
    await using world = await open()
    const files = `printf 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(p p.c)\n' > CMakeLists.txt
      echo 'int main(void) { return 0; }' > p.c`
    const build = 'cmake -S . -B build && cmake --build build && build/p'
    const made = await world.run(`mkdir -p node_modules/p; cd node_modules/p; ${files}; ${build}`)
    expect(made).toMatchObject({ output: expect.stringContaining('Built target p'), exitCode: 0 })
    world.fork('branch', 'fork')
    const again = await world.run(`cd node_modules/p; ${build}`, { owner: 'fork' })
    expect(again).toMatchObject({ output: expect.stringContaining('Built target p'), exitCode: 0 })
    expect(again.output).not.toMatch(/Building C object/)
  })
})
