import type { UsageGrouping } from '#shared/model/derived/usage-groups.ts'
import { formatCount, formatDate, formatDay } from '#shared/text/format.ts'
import { plural } from '#shared/text/plural.ts'

/** Of which days usage is shown. `thread` is the whole life of the open thread. */
export type UsageRange = '7' | '30' | '90' | 'all' | 'thread'

const groupings: Record<UsageGrouping | 'project', string> = {
  day: 'Day',
  thread: 'Thread',
  agent: 'Agent',
  branch: 'Branch',
  batch: 'Batch',
  run: 'Run',
  model: 'Model',
  project: 'Project',
}

const ranges: Record<UsageRange, string> = {
  '7': 'Last 7 days',
  '30': 'Last 30 days',
  '90': 'Last 90 days',
  all: 'All time',
  thread: 'The open thread',
}

/** What agents used and what they may use. Only the settings show it, so it is not in the first load. */
export const usageStrings = {
  noProject: 'Open a folder to see what its threads have used.',
  scope: 'Projects',
  scopes: { project: 'This project', all: 'All projects' },
  range: 'Time',
  ranges,
  show: 'Show',
  cost: 'Cost',
  tokens: 'Tokens',
  stack: 'Divide the chart by',
  stacks: { model: 'Model', type: 'Agent type', project: 'Project' },
  exportCsv: 'Export CSV',
  exportHint: 'Every row of this time, with all its columns.',

  totals: 'Totals',
  calls: 'Model calls',
  cached: 'Cached input',
  cachedHint: (tokens: number) => `${formatCount(tokens)} tokens`,
  tokensHint: (input: number, output: number) => `${formatCount(input)} in, ${formatCount(output)} out`,
  noShare: '–',
  priceUnknown: (tokens: number) =>
    `The price of ${formatCount(tokens)} tokens is unknown. Their cost is left out, not counted as nothing.`,
  atLeast: (amount: string) => `at least ${amount}`,
  unknown: 'unknown',
  leftOut: (name: string) => `${name} is left out`,

  chart: { day: 'Usage by day', week: 'Usage by week', month: 'Usage by four weeks' },
  columns: { day: 'Day', week: 'Week', month: 'Four weeks' },
  total: 'Total',
  others: { model: 'Other models', type: 'Other types', project: 'Other projects' },
  empty: 'Shows what each day has cost, once an agent has asked a model.',
  emptyRange: 'Nothing was used in this time.',
  inRange: (amount: string, range: string) => `${amount} · ${range.toLowerCase()}`,
  onDay: (day: string, amount: string, parts: string) => `${day} · ${amount}${parts === '' ? '' : ` (${parts})`}`,
  days: (first: number, last: number) => `${formatDay(first)} – ${formatDay(last)}`,
  nothing: 'nothing',
  keys: (title: string) => `${title}. Arrow keys read the values.`,

  most: { model: 'Models', agent: 'Agents', project: 'Projects' },
  more: (count: number) => `and ${plural(count, 'other', 'others')}`,

  table: 'Usage in detail',
  groupBy: 'Group by',
  groupings,
  tableHead: { calls: 'Calls', input: 'Input', cached: 'Cached', output: 'Output', cost: 'Cost' },
  sortBy: (column: string) => `Sort by ${column}`,
  groups: (count: number) => plural(count, 'row', 'rows'),
  earlier: 'Earlier',
  noBatch: 'Outside batches',
  batch: (tasks: number, at: number) => `${plural(tasks, 'task', 'tasks')}, ${formatDate(at)}`,
  run: (agent: string, run: number) => (run === 0 ? `${agent}, before its first run` : `${agent}, run ${run}`),

  budgets: 'Budgets',
  budgetsAbout:
    'US dollars. The work ends when a budget is spent, and you can continue it. Leave a field empty for none.',
  budget: {
    run: 'Each run',
    thread: 'Each thread',
    batch: 'Each batch',
    subagent: 'Each subagent',
  },
  budgetHint: {
    run: 'From your message to the end of the work, with all subagents.',
    thread: 'Its whole life, with all its runs.',
    batch: 'All tasks of one batch together.',
    subagent: 'Each agent that another one starts, alone.',
  },
  noBudget: 'none',
  backToUsual: (amount: string) => `Back to default: ${amount}`,
  backToUsualOf: (budget: string) => `Back to default: ${budget}`,
  notAmount: 'This is not an amount. Enter dollars such as 5 or 2.50, and no comma between thousands.',
  outOfRange: 'Enter more than 0 and at most 1000000 dollars, or nothing for no limit.',
} as const
