import { expect, it, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { SettingsView } from '#shared/contract/views/settings.ts'
import type { DayUsage } from '#shared/contract/views/usage.ts'
import { noUsage } from '#shared/model/usage.ts'
import { renderInWindow } from '../state/session/test-window.testkit.tsx'
import type { SectionProps } from './section-props.ts'
import { UsageSettings } from './usage-settings.tsx'

const usualBudgets = { run: 5, thread: null, batch: null, subagent: null }
const settings = { budgets: { ...usualBudgets, subagent: 2 }, usualBudgets } as SettingsView
const change = vi.fn<SectionProps['change']>(async () => true)
const command = { busy: false, refusal: null, run: async () => true, clear: () => undefined }

async function openUsage(last: DayUsage['models']): Promise<void> {
  change.mockClear()
  await renderInWindow(
    <UsageSettings settings={settings} command={command} change={change} reload={() => undefined} />,
    {
      'usage.byDay': async ({ starts }) =>
        starts.map((start, place) => ({ start, models: place === starts.length - 1 ? last : [] })),
    },
  )
}

const chart = page.getByRole('region', { name: 'Usage by day' }).last()

it('shows what each of the last 30 days has cost by model, in a chart and in a table, and in tokens', async () => {
  await openUsage([
    { model: 'large', usage: { ...noUsage, outputTokens: 1_000, cost: 2 } },
    { model: 'small', usage: { ...noUsage, outputTokens: 9_000, cost: 0.5 } },
  ])
  await expect.element(chart).toHaveTextContent(/\$2\.50 in 30 days/)
  await expect.poll(() => chart.getByRole('row').elements().length).toBe(31)
  const plot = chart.getByRole('group')
  ;(plot.element() as HTMLElement).focus()
  await userEvent.keyboard('{End}')
  await expect.element(chart.getByRole('status')).toHaveTextContent(/\$2\.50 \(large \$2\.00, small \$0\.50\)/)
  await userEvent.click(page.getByRole('button', { name: 'Tokens' }))
  await expect.element(chart).toHaveTextContent(/10K in 30 days/)
})

it('gives the chart a scale with round values and their unit', async () => {
  await openUsage([{ model: 'large', usage: { ...noUsage, outputTokens: 9_000, cost: 2 } }])
  const scale = () => chart.element().textContent?.match(/\$0\.00\$1\.00\$2\.00/)
  await expect.poll(scale).not.toBeNull()
  await userEvent.click(page.getByRole('button', { name: 'Tokens' }))
  await expect.poll(() => chart.element().textContent).toMatch(/02\.5K5K7\.5K/)
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
