import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { SettingsView } from '#shared/contract/views/settings.ts'
import type { ProjectUsage, UsageReport, UsageRow, UsageThread } from '#shared/model/derived/usage-report.ts'
import type { BranchId, ThreadId } from '#shared/model/ids.ts'
import { noUsage, type Usage } from '#shared/model/models/usage.ts'
import { renderInWindow } from '../../state/session/test-window.testkit.tsx'
import type { SectionProps } from '../section-props.ts'
import { UsageSettings } from './usage-settings.tsx'

const usualBudgets = { run: 5, thread: null, batch: null, subagent: null }
const settings = { budgets: { ...usualBudgets, subagent: 2 }, usualBudgets } as SettingsView
const change = vi.fn<SectionProps['change']>(async () => true)
const command = { busy: false, refusal: null, run: async () => true, clear: () => undefined }

interface Used {
  readonly model: string
  readonly usage: Usage
  readonly thread?: string
  readonly run?: number
  /** Days before today. */
  readonly ago?: number
}

const used = (model: string, outputTokens: number, cost: number | null, more: Partial<Used> = {}): Used => ({
  model,
  usage: { ...noUsage, modelCalls: 1, outputTokens, cost },
  ...more,
})

const rowsOf = (all: readonly Used[], starts: readonly number[]): readonly UsageRow[] =>
  all.map(({ model, usage, thread = 'root', run = 1, ago = 0 }) => ({
    ...{ day: starts.at(-1 - ago) ?? 0, threadId: thread as ThreadId, run, model, purpose: 'reply', usage },
  }))

/** The thread `root` and subagents of it; every other thread is a root thread itself. */
function reportOf(all: readonly Used[], starts: readonly number[]): UsageReport {
  const ids = [...new Set(['root', ...all.map(({ thread = 'root' }) => thread)])]
  const threads = ids.map((id): UsageThread => {
    const isSub = id.startsWith('sub')
    return {
      ...{ id: id as ThreadId, root: (isSub ? 'root' : id) as ThreadId, title: `Title of ${id}`, depth: isSub ? 1 : 0 },
      ...{ agent: isSub ? id : 'Coppice', agentType: isSub ? 'helper' : 'main', batch: null },
      ...{ branchId: `${id}-branch` as BranchId, branch: `${id}'s branch` },
    }
  })
  return { rows: rowsOf(all, starts), threads, batches: [] }
}

async function openUsage(all: readonly Used[], projects: (starts: readonly number[]) => ProjectUsage[] = () => []) {
  change.mockClear()
  const asked = vi.fn(({ starts }: { readonly starts: number[] }) => projects(starts))
  await renderInWindow(
    <UsageSettings settings={settings} command={command} change={change} reload={() => undefined} />,
    { 'usage.report': ({ starts }) => reportOf(all, starts), 'usage.projects': asked },
  )
  return asked
}

const chart = page.getByRole('region', { name: 'Usage by day' })
const table = page.getByRole('table', { name: 'Usage in detail' })
const totals = page.getByRole('region', { name: 'Totals' })
const button = (name: string) => page.getByRole('button', { name, exact: true })
/** The first column and the cost of the table. */
const listed = () =>
  table
    .getByRole('row')
    .elements()
    .slice(1)
    .map((row) => [row.firstElementChild?.textContent, row.lastElementChild?.textContent])

it('shows what each of the last 30 days has cost by model, in a chart and in a table, and in tokens', async () => {
  await openUsage([used('large', 1_000, 2), used('small', 9_000, 0.5)])
  await expect.element(chart).toHaveTextContent(/\$2\.50 · last 30 days/)
  await expect.poll(() => chart.getByRole('row').elements().length).toBe(31)
  const plot = chart.getByRole('group')
  ;(plot.element() as HTMLElement).focus()
  await userEvent.keyboard('{End}')
  await expect.element(chart.getByRole('status')).toHaveTextContent(/\$2\.50 \(large \$2\.00, small \$0\.50\)/)
  await userEvent.click(button('Tokens'))
  await expect.element(chart).toHaveTextContent(/10K · last 30 days/)
})

it('moves through the bars of the chart one by one with the arrow keys', async () => {
  await openUsage([used('large', 1_000, 2)])
  await expect.poll(() => chart.getByRole('row').elements().length).toBe(31)
  const days = chart
    .getByRole('rowheader')
    .elements()
    .map((one) => one.textContent)
  ;(chart.getByRole('group').element() as HTMLElement).focus()
  for (const [key, day] of [
    ['{ArrowRight}', days[0]],
    ['{ArrowRight}', days[1]],
    ['{ArrowRight}', days[2]],
    ['{ArrowLeft}', days[1]],
  ] as const) {
    await userEvent.keyboard(key)
    await expect.element(chart.getByRole('status')).toHaveTextContent(`${day} · nothing`)
  }
})

it('gives the chart a scale with round values and their unit', async () => {
  await openUsage([used('large', 9_000, 2)])
  const scale = () => chart.element().textContent?.match(/\$0\.00\$1\.00\$2\.00/)
  await expect.poll(scale).not.toBeNull()
  await userEvent.click(button('Tokens'))
  await expect.poll(() => chart.element().textContent).toMatch(/02\.5K5K7\.5K/)
})

it('divides the chart by the type of the agent', async () => {
  await openUsage([used('large', 10, 2), used('large', 10, 1, { thread: 'sub1' })])
  await userEvent.click(button('Agent type'))
  await expect
    .poll(() =>
      chart
        .getByRole('columnheader')
        .elements()
        .map((one) => one.textContent),
    )
    .toEqual([...['Day', 'main', 'helper', 'Total']])
})

it('says the totals, and never counts an unknown price as nothing', async () => {
  const cached: Usage = { ...noUsage, modelCalls: 1, inputTokens: 250, cacheReadTokens: 750, cost: 1 }
  await openUsage([{ model: 'large', usage: cached }, used('local', 4_000, null)])
  await expect.element(totals).toHaveTextContent(/at least \$1\.00/)
  await expect.element(totals).toHaveTextContent(/75%750 tokens/)
  await expect.element(totals).toHaveTextContent('The price of 4K tokens is unknown.')
  await expect.element(chart).toHaveTextContent(/at least \$1\.00 · last 30 days/)
  const today = () => chart.getByRole('row').elements().at(-1)?.textContent
  expect(today()).toMatch(/\$1\.00unknownat least \$1\.00$/)
  await userEvent.selectOptions(page.getByLabelText('Group by'), 'Model')
  await expect.poll(listed).toEqual([
    ['large', '$1.00'],
    ['local', 'unknown'],
  ])
})

it('groups by what a person chooses, and sorts by each column with the keyboard', async () => {
  await openUsage([
    used('large', 5, 2, { run: 1 }),
    used('large', 90, 1, { run: 2 }),
    used('small', 10, 4, { thread: 'sub1' }),
    used('small', 10, 8, { thread: 'second', ago: 2 }),
  ])
  await expect.poll(listed).toEqual([
    ['Title of second', '$8.00'],
    ['Title of root', '$7.00'],
  ])
  await userEvent.selectOptions(page.getByLabelText('Group by'), 'Run')
  await expect.poll(listed).toEqual([
    ['Coppice, run 1Title of second', '$8.00'],
    ['sub1, run 1Title of root', '$4.00'],
    ['Coppice, run 1Title of root', '$2.00'],
    ['Coppice, run 2Title of root', '$1.00'],
  ])
  ;(button('Output').element() as HTMLElement).focus()
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => listed()[0]?.[0]).toBe('Coppice, run 2Title of root')
  await expect.element(table.getByRole('columnheader', { name: 'Output' })).toHaveAttribute('aria-sort', 'descending')
  await userEvent.keyboard('{Enter}')
  await expect.poll(() => listed().at(-1)?.[0]).toBe('Coppice, run 2Title of root')
  for (const by of ['Day', 'Agent', 'Branch', 'Batch', 'Model']) {
    await userEvent.selectOptions(page.getByLabelText('Group by'), by)
    await expect.element(table.getByRole('columnheader').first()).toHaveTextContent(by)
  }
})

it('renders only the visible rows of a long table', async () => {
  await openUsage(Array.from({ length: 2_000 }, (_, place) => used('large', 5, 2, { thread: `t${place}` })))
  await expect.element(table).toHaveAttribute('aria-rowcount', '2001')
  await expect.poll(() => listed().length).toBeGreaterThan(3)
  expect(listed().length).toBeLessThan(100)
})

it('asks for other projects only on request, and names each one that it cannot read', async () => {
  const asked = await openUsage([used('large', 5, 2)], (starts) => [
    { id: 'a', name: 'apple', folder: '/apple', rows: rowsOf([used('large', 5, 3)], starts), problem: null },
    { id: 'b', name: 'broken', folder: '/broken', rows: [], problem: 'It is damaged.' },
  ])
  await expect.element(totals).toHaveTextContent('$2.00')
  expect(asked).not.toHaveBeenCalled()
  await userEvent.click(button('All projects'))
  await expect.element(totals).toHaveTextContent('$3.00')
  await expect.element(page.getByText('broken is left out')).toBeVisible()
  await expect.element(page.getByText('It is damaged.')).toBeVisible()
  await expect.poll(listed).toEqual([['apple', '$3.00']])
  await userEvent.click(
    page.getByRole('group', { name: 'Divide the chart by' }).getByRole('button', { name: 'Project' }),
  )
  await expect.element(chart.getByRole('columnheader', { name: 'apple' })).toBeInTheDocument()
})

it('exports what is shown as CSV, under a name with the date', async () => {
  await openUsage([used('large', 5, 2), used('=cmd', 5, null)])
  const saved: { name: string; content: Promise<string> }[] = []
  using _create = vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push({ name: '', content: (blob as Blob).text() })
    return '#'
  })
  using _click = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    const last = saved.at(-1)
    if (last) last.name = this.download
  })
  await userEvent.click(button('Export CSV'))
  expect(saved.map(({ name }) => name)).toEqual([expect.stringMatching(/^coppice-usage-\d{4}-\d\d-\d\d\.csv$/)])
  const lines = (await saved[0]?.content)?.split('\r\n')
  expect(lines?.[0]).toMatch(/^day,thread,thread_id,agent,.*cost_usd,known_cost_usd,tokens_without_price$/)
  expect(lines?.[1]).toMatch(/^\d{4}-\d\d-\d\d,Title of root,root,Coppice,.*,1,large,reply,1,0,0,0,5,2,2,0$/)
  expect(lines?.[2]).toMatch(/,1,'=cmd,reply,1,0,0,0,5,,0,5$/)
})

it('says why it cannot be read, and asks again', async () => {
  let isBroken = true
  await renderInWindow(
    <UsageSettings settings={settings} command={command} change={change} reload={() => undefined} />,
    {
      'usage.report': ({ starts }) => {
        if (isBroken) throw new Error('The disk answers with errors.')
        return reportOf([used('large', 5, 2)], starts)
      },
    },
  )
  await expect.element(page.getByRole('alert')).toBeVisible()
  isBroken = false
  await userEvent.click(page.getByRole('alert').getByRole('button'))
  await expect.element(totals).toHaveTextContent('$2.00')
})

it('takes a budget back to its default', async () => {
  await openUsage([])
  expect(page.getByRole('button', { name: /^Back to default/ }).elements()).toHaveLength(1)
  await userEvent.click(page.getByRole('button', { name: 'Back to default: Each subagent' }))
  expect(change.mock.calls).toEqual([[{ budgets: { subagent: 'default' } }]])
})

it('says what will be there before anything was used', async () => {
  await openUsage([])
  await expect.element(chart).toHaveTextContent('Shows what each day has cost, once an agent has asked a model.')
  expect(table.elements()).toHaveLength(0)
  await expect.element(button('Export CSV')).toBeDisabled()
  await userEvent.click(button('All projects'))
  await expect.element(chart).toHaveTextContent('Nothing was used in this time.')
})

it('saves a budget, removes one, and refuses what is not an amount', async () => {
  await openUsage([])
  const thread = page.getByRole('textbox', { name: 'Each thread' })
  await userEvent.fill(thread, '$12.50')
  await userEvent.keyboard('{Enter}')
  await userEvent.fill(page.getByRole('textbox', { name: 'Each run' }), '')
  await userEvent.keyboard('{Enter}')
  const saved = () => change.mock.calls.map(([{ budgets }]) => budgets)
  expect(saved()).toContainEqual({ thread: 12.5 })
  expect(saved()).toContainEqual({ run: null })
  change.mockClear()
  await userEvent.fill(page.getByRole('textbox', { name: 'Each batch' }), 'much')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('alert')).toHaveTextContent('This is not an amount.')
  await userEvent.fill(page.getByRole('textbox', { name: 'Each batch' }), '1,000')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('alert')).toHaveTextContent('no comma between thousands')
  await userEvent.fill(page.getByRole('textbox', { name: 'Each batch' }), '0')
  await userEvent.keyboard('{Enter}')
  await expect.element(page.getByRole('alert')).toHaveTextContent('Each batch: Enter more than 0')
  expect(saved().some((budgets) => budgets && 'batch' in budgets)).toBe(false)
  await userEvent.fill(page.getByRole('textbox', { name: 'Each batch' }), '2,50')
  await userEvent.keyboard('{Enter}')
  await expect.poll(saved).toContainEqual({ batch: 2.5 })
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
})
