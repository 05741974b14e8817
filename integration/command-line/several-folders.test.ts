import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lastResults, type Scenario, taskOf } from '../../e2e/model-server/scenario.ts'
import { coppice } from './coppice.testkit.ts'
import { openRepository, runs, sh } from './repository.testkit.ts'

const begin =
  'mkdir ../lib; cd ../lib; git init -q -b main .; git config user.name n; git config user.email e@e; echo 1 > a; git add -A; git commit -qm lib'
const change = runs('echo 2 > app/a.txt; cd "$COPPICE_FOLDER_LIB"; echo 2 > a; echo new > b')

it('a second folder stays with the project: its patch, its delivery and its place on disk are its own', async () => {
  await using world = await openRepository(change, begin)
  const [top, lib] = [join(world.place, 'top'), join(world.place, 'lib')]
  const missing = await world.run('top', '--add-dir', `${lib}-none`)
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--add-dir names')])
  const inside = await world.run('top', '--add-dir', join(world.place, 'top/app'))
  expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('lie in each other')])
  const around = await world.run('top/app', '--add-dir', top)
  expect([around.code, around.stderr]).toEqual([2, expect.stringContaining('lie in each other')])
  const record = join(world.place, 'record')
  const ran = await world.run('top', '--add-dir', lib, '--patch', world.patch, '--record', record)
  expect(ran.code, ran.stderr).toBe(0)
  expect(sh('git status --porcelain', lib)).toBe('')
  expect(sh(`cat ${world.patch}`, top)).not.toContain('new')
  const replay = (data: string, ...words: readonly string[]) =>
    coppice(['run', top, '--replay', record, '--data-dir', join(world.place, data), ...words])
  const lacking = await replay('lacking')
  expect([lacking.code, lacking.stderr]).toEqual([2, expect.stringContaining('--add-dir DIR:lib')])
  const replayed = await replay('whole', '--add-dir', lib)
  expect(replayed.stderr).toContain('every tree is the recorded one')
  const own = await world.verb(['diff', 'last', '--paths', '/lib'])
  expect(own.stdout).toContain('+new')
  expect(own.stdout).toContain('--- a/a')

  const hook =
    'mkdir -p .git/hooks; printf "#!/bin/sh\\ngit diff --cached --name-only; exit 1" > .git/hooks/pre-commit; chmod +x .git/hooks/*'
  sh(hook, lib)
  const refused = await world.verb(['deliver', 'last', '--to', 'fix', '--hooks'])
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    1,
    expect.stringContaining('In /lib: The hook pre-commit refused'),
    expect.stringContaining('a\nb\n'),
  ])
  const made = await world.verb(['deliver', 'last', '--to', 'fix', '--json'])
  expect(made.code, made.stderr).toBe(0)
  expect(JSON.parse(made.stdout).delivered).toEqual([
    expect.objectContaining({ repository: '/lib', branch: 'fix', files: 2 }),
    expect.objectContaining({ repository: '/', branch: 'fix', files: 1 }),
  ])
  expect(sh('git show --stat=80 --format= fix', lib)).toMatch(/ a \| 2.*\n b \| 1/s)
  expect(sh('git show --stat=80 --format= fix', top)).toContain(' app/a.txt | 2')

  renameSync(lib, `${lib}-away`)
  const undelivered = await world.verb(['deliver', 'last', '--to', 'fix', '--dry-run'])
  expect(undelivered.stdout).toContain(`/lib/b  Its folder ${lib} is not on disk. Put it back, then deliver again.`)
  const gone = await world.verb(['apply', 'last'])
  expect(gone.code).not.toBe(0)
  expect(gone.stdout + gone.stderr).toContain('Its folder is not on disk')
  expect(gone.stdout).toContain(`Put the folder ${lib} back`)
  expect(gone.stdout).not.toContain('--ours')
  expect(sh('ls; git status --porcelain', top)).toBe('app\n')
  mkdirSync(lib)
  renameSync(`${lib}-away`, lib)
  const applied = await world.verb(['apply', 'last'])
  expect(applied.code, applied.stderr).toBe(0)
  expect(applied.stdout).toContain(`Applied to ${top} and ${lib}: 3 files written, 0 deleted.`)
  expect(sh('cat a b', lib)).toBe('2\nnew\n')
  expect(sh('cat app/a.txt; ls', top)).toBe('2\napp\n')
})

// Mutation: without `cd` in `runIn`, both run in the first folder.
it('checks and the setup of a second folder run there, and its agents can be started', async () => {
  const settings = JSON.stringify({
    checks: [{ name: 'own', run: 'test -f ready && grep -q 2 a && test ! -e app' }],
    environment: { setup: 'echo yes > ready', inputs: ['a'] },
  })
  const agent = '---\\nname: helper\\ndescription: d\\n---\\n'
  await using world = await openRepository(
    change,
    `${begin}; echo ready > .gitignore; mkdir -p .coppice/agents; printf -- '${agent}' > .coppice/agents/h.md; echo '${settings}' > .coppice/settings.json; git add -A; git commit -qm more`,
  )
  const lib = join(world.place, 'lib')
  const words = ['--add-dir', lib, '--trust', '--require-checks', '--json', '--agent', 'helper'] as const
  const ran = await world.run('top', ...words)
  expect([ran.code, ran.events.at(-1)], ran.stderr).toEqual([
    0,
    expect.objectContaining({ checks: [{ name: 'lib: own', status: 'green', exit_code: 0 }] }),
  ])
})

// Mutation: without `otherFolders`, the files of the second folder lie in the worktree, where a commit would take them.
it('a worktree is of the first folder alone, and says so; what is made there at the other name is no change', async () => {
  await using world = await openRepository(change, begin)
  const [lib, tree] = [join(world.place, 'lib'), join(world.place, 'tree')]
  await world.run('top', '--add-dir', lib)
  const made = await world.verb(['checkout', 'last', 'workspace', tree, '--json'])
  expect(JSON.parse(made.stdout)).toMatchObject({ left_out: [{ path: '/lib', why: 'another folder of the project' }] })
  expect(sh('git status --porcelain; ls', tree)).toBe(' M app/a.txt\napp\n')
  sh('mkdir lib; echo 3 > lib/a; echo 3 > app/a.txt', tree)
  const back = await world.verb(['checkout', 'last', 'workspace', tree, '--back', '--json'])
  expect(JSON.parse(back.stdout)).toMatchObject({ changed: ['/app/a.txt'] })
  const patch = await world.verb(['diff', 'last', '--paths', '/lib'])
  expect(patch.stdout).toContain('+2')
})

it('a second folder may be a part of its repository, or have none, which is said', async () => {
  await using world = await openRepository(
    runs('cd "$COPPICE_FOLDER_PART"; echo 2 > a; echo 2 > "$COPPICE_FOLDER_PLAIN/p"'),
    `${begin}; mkdir part; echo 1 > part/a; git add -A; git commit -qm part; mkdir ../plain; echo 1 > ../plain/p`,
  )
  const lib = join(world.place, 'lib')
  const ran = await world.run('top', '--add-dir', join(lib, 'part'), '--add-dir', join(world.place, 'plain'))
  expect(ran.code, ran.stderr).toBe(0)
  const made = await world.verb(['deliver', 'last', '--to', 'fix'])
  expect(made.stdout).toContain(`/plain/p  Its folder ${join(world.place, 'plain')} has no git repository.`)
  expect(sh('git show --format= --name-only fix; git show fix:part/a', lib)).toBe('part/a\n2\n')
})

/** What each of twelve agents does: the even ones in the first folder, the odd ones in the second. Two of them meet in one line. */
function work(agent: number): string {
  const folder = agent % 2 === 0 ? 'app' : '"$COPPICE_FOLDER_LIB"'
  const meets = agent < 4 && agent % 2 === 0 ? `; echo ${agent} > app/a.txt` : ''
  return `cp "$COPPICE_PLACE_REFS_DOCS/style" ${folder}/f${agent}; echo ${agent} >> ${folder}/f${agent}${meets}`
}

it('twelve agents work in two repositories by a reference, a conflict is decided, and one delivery makes both branches', async () => {
  const agents = Array.from({ length: 12 }, (_, at) => at)
  const scenario: Scenario = (request) => {
    const agent = /^agent (\d+)$/.exec(taskOf(request))?.[1]
    if (lastResults(request).size > 0) return { text: 'Done.' }
    if (agent !== undefined) return { calls: [{ name: 'execute', input: { command: work(Number(agent)) } }] }
    return { calls: [{ name: 'spawn_subagents', input: { tasks: agents.map((one) => `agent ${one}`) } }] }
  }
  await using world = await openRepository(scenario, `${begin}; mkdir ../docs; echo tabs > ../docs/style`)
  const [top, lib, docs] = ['top', 'lib', 'docs'].map((name) => join(world.place, name)) as [string, string, string]
  const ran = await world.run('top', '--add-dir', lib, '--ref', docs)
  expect(ran.code, ran.stderr).toBe(0)
  const merged = await world.verb(['merge', 'last', ...agents.map((one) => `subagent_${one}`)])
  expect([merged.code, merged.stdout + merged.stderr]).toEqual([3, expect.stringContaining('/app/a.txt')])
  const forced = await world.verb(['merge', 'last', 'subagent_2', '--force'])
  expect(forced.code, forced.stderr).toBe(0)
  const made = await world.verb(['deliver', 'last', '--to', 'fix', '--per', 'branch', '--json'])
  expect(made.code, made.stderr).toBe(0)
  expect(JSON.parse(made.stdout).delivered).toMatchObject([
    { repository: '/lib', branch: 'fix', files: 6 },
    { repository: '/', branch: 'fix', files: 7 },
  ])
  expect(sh('git show fix:app/a.txt fix:app/f2', top)).toBe('2\ntabs\n2\n')
  expect(sh('git ls-tree --name-only fix', lib)).toBe(`a\n${[1, 11, 3, 5, 7, 9].map((one) => `f${one}\n`).join('')}`)
  for (const folder of [top, lib])
    expect(sh('git fsck --strict 2>&1 | grep -v dangling || true; git status --porcelain', folder)).toBe('')
  expect(sh('ls -A; cat style', docs)).toBe('style\ntabs\n')
})

it('the plan of a repository names the submodules whose new commit it will have', async () => {
  const submodule =
    'git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -qm sub; cd sub; git config user.name n; git config user.email e@e'
  await using world = await openRepository(runs('echo 2 > sub/a'), `${begin}; cd ../top; ${submodule}`)
  await world.run('top')
  const plan = await world.verb(['deliver', 'last', '--to', 'fix', '--dry-run'])
  expect(plan.stdout).toContain(
    'Update submodules  1 file\n  ready     /sub  It points to the new commit of this repository.',
  )
  await world.verb(['deliver', 'last', '--to', 'fix'])
  expect(sh('git show --format=%s --name-only fix', join(world.place, 'top'))).toBe('Update submodules\n\nsub\n')
})
