import { expect, it } from 'vitest'
import type { ShellOutcome } from '../../ports/shell.ts'
import { adviceFor } from './advice.ts'

const outcome = (output: string, exitCode = 1): ShellOutcome => ({
  ...{ exitCode, signal: null, output, omittedBytes: 0, endedBy: 'itself', durationMs: 1, denied: [], declared: [] },
})

it.each([
  ['unshare: unshare failed: No space left on device', 'no program make namespaces'],
  ['unshare: unshare failed: Operation not permitted', 'no program make namespaces'],
  ['[1:1:ERROR] No usable sandbox! Update your kernel', '--no-sandbox'],
  ['bwrap: No permissions to creating new namespace, cannot clone: Operation not permitted', '--spawn_strategy=local'],
  ['Error: cannot set up namespace using "/usr/bin/newuidmap"', 'rootless containers'],
  ["fatal: hardlink different from source at 'x/objects/aa'", '--no-hardlinks'],
  ["fatal: renaming 'a' failed: Invalid cross-device link", 'Copy the folder'],
  ["Error: EXDEV: cross-device link not permitted, rename 'a' -> 'b'", 'Copy the folder'],
  ['fatal: empty ident name (for <>) not allowed', 'user.name="NAME"'],
  [
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?',
    'socket of Docker',
  ],
  [
    'error during connect: dial unix /run/user/1000/docker.sock: connect: no such file or directory',
    'socket of Docker',
  ],
  ['Cannot connect to Podman. Please verify your connection', 'socket of Docker'],
  ['Error: connect ENOENT /var/run/docker.sock', 'socket of Docker'],
  [
    "docker.errors.DockerException: ('/var/run/docker.sock', PermissionError(13, 'Permission denied'))",
    'socket of Docker',
  ],
])('for %j there is a way on', (output, advice) => {
  expect(adviceFor(outcome(output), 'true').join(' ')).toContain(advice)
  expect(adviceFor(outcome(output, 0), 'true')).toEqual([])
})

it('settings of git that were not given for a credential in them are named', () => {
  const told = adviceFor({ ...outcome('', 0), withheld: ['filter.x.clean'] }, 'git add -A')
  expect(told).toEqual([expect.stringContaining('a password or token is in them: filter.x.clean.')])
})

it('a hook that may hang is named when git did not end in time, and nothing else', () => {
  const cut: ShellOutcome = { ...outcome(''), exitCode: null, endedBy: 'time' }
  expect(adviceFor(cut, 'git commit -m x')).toEqual([expect.stringContaining('--no-verify')])
  expect([adviceFor(cut, 'sleep 100'), adviceFor(outcome(''), 'git commit -m x')]).toEqual([[], []])
})

it.each([
  [['bash -c git commit -m x', 'git commit -m x', '/bin/sh .git/hooks/pre-commit', 'sleep 1000'], ['pre-commit']],
  [['bash -c git commit', 'git commit', 'sh .husky/_/commit-msg .git/COMMIT_EDITMSG'], ['commit-msg']],
  [['bash -c git commit; sleep 9', 'sleep 9'], []],
])('%j names the hook that ran when the time was up', (running, hooks) => {
  const cut: ShellOutcome = { ...outcome(''), exitCode: null, endedBy: 'time', running }
  expect(adviceFor(cut, 'git commit').map((text) => /^The hook (\S+) of git was running/.exec(text)?.[1])).toEqual(
    hooks,
  )
})

it('a commit without a signature is said, whatever the command printed', () => {
  expect(adviceFor({ ...outcome('', 0), unsigned: true }, 'true')).toEqual([
    expect.stringContaining('without a signature'),
  ])
  expect(adviceFor(outcome('No space left on device'), 'true')).toEqual([])
})
