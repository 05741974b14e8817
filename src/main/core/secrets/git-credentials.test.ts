import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { isGitConfig, withoutCredentials } from './git-credentials.ts'
import { isSecret } from './judge-secret.ts'
import { holdsSecret, secretContentBytes } from './secret-files.ts'

it('removes credentials from the settings of a repository, and nothing else', () => {
  const config = `[remote "origin"]
\turl = https://me:canary@example.com/a.git
\tpushurl = https://canary@example.com/a.git
\tfetch = +refs/heads/*:refs/remotes/origin/*
[remote "ssh"]
\turl = git@example.com:a.git
[url "https://x:canary@example.com/"]
\tinsteadOf = gh:
[http "https://example.com/"]
\textraheader = AUTHORIZATION: basic canary
\tcookieFile = /home/me/cookies
[sendemail]
\tsmtpPass = x
\tsmtpPassword = canary
[user]
\tname = Me
`
  const shown = withoutCredentials(config)
  expect(shown).not.toContain('canary')
  for (const kept of ['git@example.com:a.git', '+refs/heads/*', 'insteadOf = gh:', 'name = Me', '@example.com/a.git'])
    expect(shown).toContain(kept)
  expect(withoutCredentials(shown)).toBe(shown)
  const paths = ['/.git/config', '/sub/.git/config', '/.git/modules/a/b/config', '/.git/config.worktree']
  for (const path of paths) expect(isGitConfig(path as VirtualPath)).toBe(true)
  expect(isGitConfig('/git/config' as VirtualPath)).toBe(false)
})

const leaks: readonly (readonly [string, string])[] = [
  ['[http "x"] extraheader = AUTHORIZATION: basic canary', '[http "x"] extraheader = [redacted]'],
  [
    '[http]\n\textraHeader = Authorization: \\\n Bearer canary\n\tx = y\n',
    '[http]\n\textraHeader = [redacted]\n\tx = y\n',
  ],
  ['[http]\r\n\textraHeader = Authorization: \\\r\n canary\r\n', '[http]\r\n\textraHeader = [redacted]\r\n'],
  ['[sendemail]\n\tsmtpPass = canary', '[sendemail]\n\tsmtpPass = [redacted]'],
  ['\turl = https://u:CAN@canary@host/a', '\turl = https://[redacted]@host/a'],
  ['\turl = "https://u:can\\"ary@host/a"', '\turl = https://[redacted]@host/a'],
  ['\turl = https://u:ca\\\nnary@host/a', '\turl = https://[redacted]@host/a'],
  ['\turl = https://u:ca"nar"y@host/a', '\turl = https://[redacted]@host/a'],
  ['\turl = "https://u:canary@host/a#b"', '\turl = "https://[redacted]@host/a#b"'],
  ['\turl = https://canary@host', '\turl = https://[redacted]@host'],
  ['\turl = ssh://git:canary@host/a', '\turl = ssh://git:[redacted]@host/a'],
  ['\turl = https://host/a?private_token=canary', '\turl = [redacted]'],
  ['[url "https://u:p@canary@host/"] insteadOf = gh:', '[url "https://[redacted]@host/"] insteadOf = gh:'],
  ['[http] proxy = u:canary@host:8080', '[http] proxy = [redacted]@host:8080'],
  ['[github]\n\toauth-token = canary', '[github]\n\toauth-token = [redacted]'],
  ['\thelper = "!f() { echo password=canary; }; f"', '\thelper = [redacted]'],
  ['\tx = "!curl -H \'Authorization: Bearer canary\'"', '\tx = [redacted]'],
  ['\tsshCommand = sshpass -p canary ssh', '\tsshCommand = [redacted]'],
  ['# url = https://u:canary@host/', '# [redacted]'],
  ['\tx = y ; password canary', '\tx = y'],
  [' Bearer canary', ' # [redacted]'],
  ['\turl = https://u:canary\\', '\turl = [redacted]'],
  [
    `${'0'.repeat(40)}\t\tbranch 'a' of https://u:canary@host/a`,
    `${'0'.repeat(40)}\t\tbranch 'a' of https://[redacted]@host/a`,
  ],
  ['URL: https://u:canary@host/a', 'URL: https://[redacted]@host/a'],
  ['https://u:canary@host/a#main', 'https://[redacted]@host/a#main'],
]

it.each(leaks)('shows %j without its credential, and does so once', (text, shown) => {
  expect(withoutCredentials(text)).toBe(shown)
  expect(withoutCredentials(shown)).toBe(shown)
})

it('leaves out a value that is too long to look at', () => {
  expect(withoutCredentials(`\tx = ${'a'.repeat(10_000)}`)).toBe('\tx = [redacted]')
})

it('keeps settings without a credential letter by letter', () => {
  const config = `\ufeff# A comment\r
[core]\r
\tbare
\teditor = "vim \\"x\\"" ; why
\taskPass = /usr/bin/ask
[http]\temptyAuth=true
\tcookieFile = /home/me/cookies
[user]
\tname = A # B
\tsigningKey = ABCDEF
[alias] x = log \\
  --oneline
[remote "a\\"b"]
\turl = git@host:a/token-service.git
\tpushurl = ssh://git@host/a@b
\tfetch = +refs/heads/token:refs/remotes/origin/token
[credential]
\thelper = store --file ~/x
${'1'.repeat(40)} ${'2'.repeat(40)} Me <me@host> 1 +0000\tclone: from https://host/a
`
  expect(withoutCredentials(config)).toBe(config)
})

it.each([
  ['/.git/config.bak', true],
  ['/.git/config~', true],
  ['/a/.git/team.inc', true],
  ['/.git/FETCH_HEAD', true],
  ['/.git/logs/HEAD', true],
  ['/.git/logs/refs/heads/main', true],
  ['/.git/remotes/origin', true],
  ['/.git/branches/origin', true],
  ['/.git/credentials', true],
  ['/.git/modules/a/b/FETCH_HEAD', true],
  ['/mirror.git/config', true],
  ['/.git/refs/heads/config', false],
  ['/.git/refs/remotes/origin', false],
  ['/.git/modules/a/refs/remotes/origin', false],
  ['/.git/hooks/config', false],
  ['/.git/objects/ab/config', false],
  ['/.git/index', false],
  ['/.git/HEAD', false],
  ['/config', false],
  ['/logs/a', false],
])('says whether %s may hold credentials of git: %s', (path, expected) => {
  expect(isGitConfig(path as VirtualPath)).toBe(expected)
})

// Each of these took from seconds to minutes when a pattern looked at the whole rest of the text from every place.
it.each([
  ['\n'],
  ['\\\n'],
  ['tokenpassword'],
  ['a:'],
  ['://'],
  ['://a:'],
  ['https://u@'],
  ['[a "'],
  ['[a]'],
  ['#'],
  ['x = "'],
  ['x = \\\n'],
  ['?token'],
  ['token '],
  ['basic '],
])('reads 256 KB of %j without looking at them again and again', (part) => {
  for (const start of ['', 'x = ', '://', '# ', `${'0'.repeat(40)} `]) {
    const text = start + part.repeat(Math.ceil(secretContentBytes / part.length))
    const begin = process.threadCpuUsage()
    withoutCredentials(text)
    isSecret('/.npmrc' as VirtualPath, Buffer.from(text).subarray(0, secretContentBytes - 1))
    holdsSecret('/a.txt' as VirtualPath, Buffer.from(text))
    // Microseconds. It takes about a hundredth of that.
    expect(process.threadCpuUsage(begin).user).toBeLessThan(3_000_000)
  }
})
