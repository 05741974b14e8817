import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OutsideChange } from '#shared/contract/views/app.ts'
import { gitFolderOf, readGitHead } from '../project/git-head.ts'
import { openTestHost } from '../testing/test-host.testkit.ts'
import { followOutside } from './outside-changes.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-outside-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function put(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** Listens to the folders `data` and `project`, after the hints of the beginning. `next` does something and waits for the change that is told after it. */
async function listen(environment: Readonly<Record<string, string>> = {}) {
  mkdirSync(join(folder, 'project'), { recursive: true })
  const host = await openTestHost(join(folder, 'data'), undefined, environment)
  const stop = new AbortController()
  const changes = followOutside(host.options, join(folder, 'project'), stop.signal)
  const first = [await changes.next(), await changes.next(), await changes.next()].map(({ value }) => value)
  const next = async (act: () => void): Promise<OutsideChange | undefined> => {
    const told = changes.next()
    act()
    return (await told).value ?? undefined
  }
  return {
    first,
    next,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await changes.return()
      await host[Symbol.asyncDispose]()
    },
  }
}

describe('changes outside the journal', () => {
  it('begins with a hint of every kind, for what changed before anybody listened', async () => {
    await using outside = await listen()
    expect(outside.first).toEqual(['settings', 'extensions', 'git'])
  })

  it.each([
    ['settings', 'data/settings.json'],
    ['extensions', 'data/skills/mine/SKILL.md'],
    ['extensions', 'project/AGENTS.md'],
    ['extensions', 'project/CLAUDE.md'],
    ['extensions', 'project/.mcp.json'],
    ['extensions', 'project/.coppice/settings.json'],
    ['extensions', 'project/.coppice/agents/reviewer.md'],
    ['extensions', 'project/.claude/agents/reviewer.md'],
    ['extensions', 'project/.claude/skills/report/SKILL.md'],
    ['extensions', 'project/.claude/commands/web/page.md'],
    ['extensions', 'data/commands/fix.md'],
    ['extensions', 'home/.claude/commands/fix.md'],
    ['extensions', 'home/.agents/skills/mine/SKILL.md'],
    ['git', 'project/.git/HEAD'],
  ])('tells %s when %s appears, changes and goes', async (kind, path) => {
    for (const place of ['home/.claude', 'home/.agents']) mkdirSync(join(folder, place), { recursive: true })
    await using outside = await listen({ HOME: join(folder, 'home') })
    expect(await outside.next(() => put(path, 'one'))).toBe(kind)
    expect(await outside.next(() => put(path, 'another'))).toBe(kind)
    expect(await outside.next(() => renameSync(join(folder, path), join(folder, `${path}.old`)))).toBe(kind)
  })

  it('tells the same when it has to poll', async () => {
    put('project/AGENTS.md', 'one')
    await using outside = await listen({ COPPICE_WATCH_POLLING: '1' })
    const told = outside.next(() => {})
    let text = 'one'
    // A watcher that polls begins with its first look.
    const write = setInterval(() => {
      text += '.'
      put('project/AGENTS.md', text)
    }, 50)
    expect(await told).toBe('extensions')
    clearInterval(write)
  })

  it('tells a change of the branch in a worktree, whose HEAD lies elsewhere', async () => {
    put('main/.git/worktrees/project/HEAD', 'ref: refs/heads/one\n')
    put('project/.git', `gitdir: ${join(folder, 'main/.git/worktrees/project')}\n`)
    await using outside = await listen()
    expect(readGitHead(join(folder, 'project'))).toBe('one')
    const head = 'main/.git/worktrees/project/HEAD'
    expect(await outside.next(() => put(head, 'ref: refs/heads/feature/two\n'))).toBe('git')
    expect(readGitHead(join(folder, 'project'))).toBe('feature/two')
  })

  it('ends when nobody listens any more', async () => {
    await using outside = await listen()
    const told = outside.next(() => {})
    await outside[Symbol.asyncDispose]()
    expect(await told).toBeUndefined()
  })
})

describe('the checked-out branch', () => {
  it('is a short commit id when no branch is checked out', () => {
    put('project/.git/HEAD', 'd670460b4b4aece5915caf5c68d12f560a9fe3e4\n')
    expect(readGitHead(join(folder, 'project'))).toBe('d670460')
  })

  it.each([
    ['there is no repository', 'project/other', ''],
    ['.git points nowhere', 'project/.git', 'gitdir: /nowhere\n'],
    ['HEAD is not one of git', 'project/.git/HEAD', 'something else'],
    ['HEAD is too long', 'project/.git/HEAD', `ref: refs/heads/${'a'.repeat(5000)}`],
  ])('is null when %s', (_, path, text) => {
    put(path, text)
    expect(readGitHead(join(folder, 'project'))).toBeNull()
  })

  it('is found beside .git in a submodule', () => {
    put('project/.git', 'gitdir: ../modules/sub\n')
    put('modules/sub/HEAD', 'ref: refs/heads/main\n')
    expect(gitFolderOf(join(folder, 'project'))).toBe(join(folder, 'modules/sub'))
    expect(readGitHead(join(folder, 'project'))).toBe('main')
  })
})
