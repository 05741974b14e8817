import { type ComponentProps, type ReactElement, useRef } from 'react'
import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import type { DiffHunk, FileDiff } from '#shared/contract/views/files.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { hunkStep } from '../react/keys.ts'
import type { DiffComments } from './diff-comments.tsx'
import { FileDiffView } from './file-diff-view.tsx'
import type { HunkSteps } from './virtual-diff.tsx'

const path = '/notes.unknown' as VirtualPath
const unchanged = Array.from({ length: 30 }, (_, line) => `line ${line + 1}`)
const labels = {
  unified: 'One column',
  split: 'Side by side',
  binary: '',
  largeFile: (bytes: number) => `${bytes} bytes`,
  tooLarge: '',
  noTextChange: '',
  moved: (_: 'added' | 'removed', line: number) => `Moved, line ${line}`,
  hunk: (place: number, count: number) => `Change ${place} of ${count}`,
  unchanged: (lines: number | null) => `${lines ?? 'More'} unchanged lines`,
}
const box = page.getByRole('region', { name: 'Changes' })

function diffOf(hunks: readonly DiffHunk[]): FileDiff {
  const change = { path, kind: 'modify', size: 1, added: 1, removed: 1, binary: false } as const
  return { path, change, hunks, truncated: false, fingerprint: null }
}

/** A hunk that replaces a line with one of the same number. */
function replaced(line: number, before: string, after: string): DiffHunk {
  return { oldStart: line, oldLines: 1, newStart: line, newLines: 1, lines: [`-${before}`, `+${after}`] }
}

/** The diff in a pane of the window, with the keys of a review. */
function Pane(props: Partial<ComponentProps<typeof FileDiffView>> & { readonly diff: FileDiff }): ReactElement {
  const steps = useRef<HunkSteps>(null)
  return (
    <main
      className="flex h-[500px] flex-col"
      onKeyDown={(event) => {
        const by = hunkStep(event.nativeEvent)
        if (by) steps.current?.step(by)
      }}
    >
      <FileDiffView
        label="Changes"
        labels={labels}
        layout="unified"
        onLayout={() => undefined}
        loadAfter={async () => unchanged.join('\n')}
        steps={steps}
        {...props}
      />
    </main>
  )
}

const long = diffOf([replaced(1, 'short', `begin ${'x'.repeat(600)} end`), replaced(9, 'before', 'after')])

it('says how large a file is that is too large to show', async () => {
  const change = {
    path,
    kind: 'delete',
    size: 0,
    added: null,
    removed: null,
    binary: false,
    large: 300_000_000,
  } as const
  await render(<Pane diff={{ path, change, hunks: [], truncated: false, fingerprint: null }} />)
  await expect.element(page.getByText('300000000 bytes')).toBeVisible()
})

it('scrolls all lines sideways together and keeps the headings in sight', async () => {
  await render(<Pane diff={long} />)
  const after = page.getByText('after', { exact: true })
  await expect.element(after).toBeVisible()
  const element = box.element()
  expect(element.scrollWidth).toBeGreaterThan(element.clientWidth)
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(window.innerWidth)
  const left = after.element().getBoundingClientRect().left
  element.scrollLeft = 300
  await expect.poll(() => after.element().getBoundingClientRect().left).toBe(left - 300)
  await expect.element(page.getByText('@@ -9,1 +9,1 @@')).toBeInViewport({ ratio: 1 })
  const row = after.element().parentElement
  // The width that scrolls is a whole number of pixels.
  expect(row?.getBoundingClientRect().width).toBeCloseTo(element.scrollWidth, 0)
})

it('wraps long lines side by side, so that both sides stay in sight', async () => {
  await render(<Pane diff={long} layout="split" />)
  const line = page.getByText(/^begin x+ end$/)
  await expect.element(line).toBeVisible()
  const { left, right, height } = line.element().getBoundingClientRect()
  const { scrollWidth, clientWidth } = box.element()
  expect(scrollWidth).toBe(clientWidth)
  expect(left).toBeGreaterThan(clientWidth / 2)
  expect(right).toBeLessThanOrEqual(clientWidth)
  expect(height).toBeGreaterThan(20)
})

it('steps with j and k to changes that are far out of sight', async () => {
  const filler = Array.from({ length: 1000 }, (_, line) => ` line ${line}`)
  const hunks = Array.from({ length: 10 }, (_, place): DiffHunk => {
    const start = place * 2000 + 1
    return { oldStart: start, oldLines: 1000, newStart: start, newLines: 1001, lines: [...filler, `+new ${place}`] }
  })
  await render(<Pane diff={diffOf(hunks)} />)
  const heading = (place: number) => page.getByRole('group', { name: `Change ${place} of 10` })
  await expect.element(heading(1)).toBeVisible()
  await userEvent.tab()
  for (const place of [1, 2, 3]) {
    await userEvent.keyboard('j')
    await expect.element(heading(place)).toHaveFocus()
    await expect.element(heading(place)).toBeInViewport()
  }
  await userEvent.keyboard('k')
  await expect.element(heading(2)).toHaveFocus()
  expect(box.element().querySelectorAll('[data-line]').length).toBeLessThan(400)
})

it('scrolls by keyboard after Tab', async () => {
  const lines = Array.from({ length: 500 }, (_, line) => `+line ${line}`)
  await render(<Pane diff={diffOf([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 500, lines }])} />)
  await expect.element(page.getByText('line 0', { exact: true })).toBeVisible()
  await userEvent.tab()
  await expect.element(page.getByRole('button', { name: 'One column' })).toHaveFocus()
  await userEvent.tab()
  await userEvent.tab()
  await expect.element(box).toHaveFocus()
  await userEvent.keyboard('{End}')
  await expect.element(page.getByText('line 499', { exact: true })).toBeInViewport()
})

it('keeps an opened gap when the page renders again, and closes it for another diff', async () => {
  const diff = diffOf([replaced(11, 'old', 'line 11')])
  const screen = await render(<Pane diff={diff} />)
  const gap = page.getByRole('button', { name: '10 unchanged lines' })
  await userEvent.click(gap)
  await expect.element(page.getByText('line 10', { exact: true })).toBeVisible()
  await screen.rerender(<Pane diff={diff} labels={{ ...labels }} aside="Reviewed" />)
  await expect.element(page.getByText('Reviewed')).toBeVisible()
  await expect.element(page.getByText('line 10', { exact: true })).toBeVisible()
  await screen.rerender(<Pane diff={diffOf([replaced(11, 'old', 'newer')])} />)
  await expect.element(gap).toBeVisible()
  await expect.element(page.getByText('line 10', { exact: true })).not.toBeInTheDocument()
})

it('chooses a range of lines by a click and a click with Shift', async () => {
  const onChoose = vi.fn<DiffComments['onChoose']>()
  const comments = (range: DiffComments['range']): DiffComments => ({
    word: 'Comment',
    hunkLabel: (place) => `Comment on change ${place}`,
    at: null,
    range,
    onChoose,
    form: () => null,
    below: () => null,
  })
  const lines = ['+one', '+two', '+three', '+four']
  const diff = diffOf([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 4, lines }])
  const screen = await render(<Pane diff={diff} comments={comments(null)} />)
  const number = (line: number) => page.getByText(String(line), { exact: true })
  await userEvent.click(number(4))
  expect(onChoose).toHaveBeenLastCalledWith({ side: 'new', from: 4, to: 4 })
  await screen.rerender(<Pane diff={diff} comments={comments({ side: 'new', from: 4, to: 4 })} />)
  await userEvent.click(number(2), { modifiers: ['Shift'] })
  expect(onChoose).toHaveBeenLastCalledWith({ side: 'new', from: 2, to: 4 })
})
