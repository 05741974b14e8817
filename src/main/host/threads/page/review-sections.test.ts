import { expect, it } from 'vitest'
import type { FileDiff, LineSource } from '#shared/contract/views/files.ts'
import type { FileChange } from '#shared/model/branch.ts'
import type { BranchId, Sequence, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { escapeHtml } from './html.ts'
import type { ReviewFacts } from './review-facts.ts'
import { reviewSections } from './review-sections.ts'

function factsOf(text: string): ReviewFacts {
  const path = `/${text}` as VirtualPath
  const change: FileChange = { path, kind: 'modify', size: 9, added: 2, removed: 1, binary: false }
  const author: LineSource = {
    ...{ sequence: 4 as Sequence, at: 0, threadId: 'child' as ThreadId, agent: text, handle: null },
    ...{ branchId: 'child' as BranchId, branch: text, callId: `call ${text}` as ToolCallId, tool: 'edit_file' },
    ...{ how: 'call', decision: 'approve', task: text },
  }
  const hunks = [
    { oldStart: 1, oldLines: 2, newStart: 1, newLines: 3, lines: [' same', `-${text}`, '+two', `+${text}`] },
  ]
  const diff = { path, change, hunks, truncated: false, fingerprint: null } as unknown as FileDiff
  const events = [
    { at: 10, kind: 'forked' },
    { at: 20, kind: 'changed' },
    { at: 30, kind: 'merged' },
  ] as const
  const result = { output: text } as unknown as ReviewFacts['checks'][number]['result']
  return {
    files: [{ change, diff, authors: [null, author, author] }],
    checks: [{ name: text, required: true, state: 'red', result }],
    lanes: [
      { branchId: 'main' as BranchId, name: 'workspace', parentId: null, events },
      { branchId: 'child' as BranchId, name: text, parentId: 'main' as BranchId, events },
    ],
  }
}

it('shows each change with who wrote its lines, once for lines that belong together, the checks and the branches', () => {
  const page = reviewSections(factsOf('parser'), escapeHtml)
  expect(page).toMatch(
    /<tr class="plus"><td class="author"><a href="#call-callparser" title="parser on parser: edit_file · approve – parser">parser<\/a><\/td><td>2<\/td><td>\+two/,
  )
  expect(page).toMatch(/<tr class="plus"><td class="author"><\/td><td>3<\/td><td>\+parser/)
  expect(page).toMatch(/<tr class="minus"><td class="author"><\/td><td><\/td><td>-parser/)
  expect(page).toContain('<details open><summary>parser <span class="red">red</span></summary><pre>parser</pre>')
  expect(page.match(/<circle/g)).toHaveLength(4)
})

// Mutation: show a path, a name or a line as it is.
it.each([
  '<script>alert(1)</script>',
  '" onmouseover="alert(1)',
  "' onload='alert(1)",
  '</pre><img src=x onerror=alert(1)>',
])('runs nothing of what files, agents and checks are called: %j', (text) => {
  const page = reviewSections(factsOf(text), escapeHtml)
  for (const [, name, attributes = ''] of page.matchAll(/<(\w+)((?:[^>"]|"[^"]*")*)>/g)) {
    expect(['script', 'img', 'iframe', 'style']).not.toContain(name)
    expect(attributes.replace(/"[^"]*"/g, '')).not.toMatch(/on\w+/i)
  }
})

it('replaces a hunk as a whole when what is prepared has other lines', () => {
  const page = reviewSections(factsOf('secret'), (text) => escapeHtml(text.replace(/-secret[\s\S]*/, '[redacted]')))
  expect(page).not.toContain('+two')
  expect(page).toContain('(replaced)')
})

it('cuts no name in which something is replaced, and says what the dots are', () => {
  const token = 'token-0123456789-0123456789'
  const prepared = (text: string) => escapeHtml(text.replaceAll(token, '[redacted]'))
  expect(reviewSections(factsOf(token), prepared)).not.toContain('>token-0123')
  const page = reviewSections(factsOf('a name of more than twenty letters'), escapeHtml)
  expect(page).toContain('>a name of more than…</text>')
  expect(page).toMatch(/<title>merged 1970-01-01 00:00:00 UTC<\/title>/)
  expect(page).toContain('<span class="merged">merged</span>')
  // A line of a merge is drawn before the dots that it meets.
  expect(page.lastIndexOf('class="join"')).toBeLessThan(page.indexOf('<circle'))
})
