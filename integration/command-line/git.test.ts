import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lastResults, type Scenario } from '../../e2e/model-server/scenario.ts'
import { openRepository, runs, sh } from './repository.testkit.ts'

it('a folder of a repository offers all of it, and work that ends on another branch is never no changes', async () => {
  await using world = await openRepository(
    runs('cd app; git checkout -qb topic; echo 2 > a.txt; git commit -qam second; git checkout -q main'),
  )
  const part = await world.run('top/app', '--json')
  expect(part.stderr).toContain(`This folder is a part of the repository ${world.place}/top`)
  expect(part.events.at(-1)).toMatchObject({ commits: [] })

  const whole = await world.run('top/app', '--top', '--json', '--patch', world.patch)
  expect(JSON.stringify(world.server.requests.at(-1)?.messages)).toContain('Work in /app: the project is the whole')
  expect(whole.stderr).toMatch(/No patch was written, but the agents left 1 commit in git alone/)
  expect(whole.events.at(-1)).toMatchObject({
    answer: expect.stringMatching(/It left 1 commit in git alone: [0-9a-f]{7} “second” on topic\./),
    changes: { written: [] },
    commits: [{ kind: 'commit', repository: '/', branch: 'topic', subject: 'second', agent: 'main' }],
  })
})

it('a patch is what git would store, and git takes it', async () => {
  await using world = await openRepository(runs(`printf '1\\r\\n2\\r\\n' > app/a.txt; printf '3\\r\\n' > new.txt`))
  sh('git config core.autocrlf true; rm app/a.txt; git checkout app', join(world.place, 'top'))
  const ran = await world.run('top', '--patch', world.patch)
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('checked by reader and git')])
  for (const clone of ['git clone -q top plain; cd plain', 'cd top']) {
    sh(`${clone}; git apply --index ${world.place}/result.patch`, world.place)
  }
  expect(sh('git show :app/a.txt :new.txt', join(world.place, 'top'))).toBe('1\n2\n3\n')
})

it('a repository that an agent makes is applied with its commits, and is no part of the patch', async () => {
  await using world = await openRepository(
    runs(
      'git init -q sub; cd sub; echo x > x; git add -A; git commit -qm inner; echo evil > .git/hooks/post-checkout; git config core.fsmonitor ./evil; cd ..; echo 2 > app/a.txt',
    ),
  )
  const ran = await world.run('top', '--patch', world.patch)
  expect([ran.code, ran.stderr]).toEqual([
    0,
    expect.stringContaining('Left out of the patch: /sub (It is a new repository'),
  ])
  expect(ran.stdout).toContain('1 commit in git alone')
  expect(sh('cat ../result.patch', join(world.place, 'top'))).not.toContain('sub')
  const left = /The agents left 1 commit in git alone: [0-9a-f]{7} “inner” on \S+ in \/sub\./
  expect((await world.verb(['diff', 'last', '--stat'])).stdout).toMatch(left)
  expect((await world.verb(['diff', 'last'])).stderr).toMatch(left)
  expect((await world.verb(['apply', 'last'])).code).toBe(0)
  const git =
    'git -C sub status --porcelain; git -C sub log --format=%s; ls sub/.git/hooks sub/.git/config 2>/dev/null || true'
  expect(sh(`${git}; git -C sub config core.fsmonitor || echo none`, join(world.place, 'top'))).toBe(
    'inner\nsub/.git/config\nnone\n',
  )
})

/** A subagent changes one file, then the agent another one, which it reads. */
const generated: Scenario = (request) => {
  const text = JSON.stringify(request.messages)
  const call = (name: string, input: unknown) => ({ calls: [{ name, id: name, input }] })
  if (JSON.stringify(request.messages[0]).includes('as a subagent'))
    return text.includes('tool_result') ? { text: 'done' } : call('execute', { command: 'echo 2 > sub.gen.ts' })
  if (!text.includes('tool_result')) return call('task', { description: 'Work as a subagent' })
  if (!text.includes('"execute"')) return call('execute', { command: 'echo 2 > api.gen.ts; git rm -q gone.gen.ts' })
  if (!text.includes('"read_file"')) return call('read_file', { file_path: '/api.gen.ts' })
  return { text: [...lastResults(request).values()].join('\n') }
}

it('what git tracks is a project file, whatever a rule ignores', async () => {
  const files = 'api.gen.ts sub.gen.ts gone.gen.ts'
  await using world = await openRepository(
    generated,
    `echo '*.gen.ts' > .gitignore; for f in ${files}; do echo 1 > $f; done; git add -f .gitignore ${files}; git commit -qm generated`,
  )
  const ran = await world.run('top', '--json', '--apply', '--patch', world.patch)
  expect(ran.events.at(-1)).toMatchObject({
    answer: expect.stringMatching(/1\s+2/),
    changes: { written: ['/api.gen.ts', '/sub.gen.ts'], deleted: ['/gone.gen.ts'] },
  })
  expect(sh('git status --porcelain; cat *.gen.ts', join(world.place, 'top'))).toBe(
    ' M api.gen.ts\n D gone.gen.ts\n M sub.gen.ts\n2\n2\n',
  )
  sh('git checkout -q .; git apply --index ../result.patch', join(world.place, 'top'))
})
