// A project in the middle of its work, for pictures: twelve agents on branches, some of them still working, one that asks,
// a red check, and a conflict that is half decided. A scripted model on loopback plays all of them.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect as expectAtOnce, type Page } from '@playwright/test'
import { startModelServer } from '../e2e/model-server/model-server.ts'
import { type Answer, type Call, type Scenario, taskOf, turnOf } from '../e2e/model-server/scenario.ts'
import { serveApp } from './serve-app.ts'

const root = join(import.meta.dirname, '..')
const expect = expectAtOnce.configure({ timeout: 60_000 })

/** Resources of the service, each with a branch of its own. The last three are still being worked on. */
const resources = [
  'accounts',
  'deposits',
  'transfers',
  'currencies',
  'statements',
  'limits',
  'reports',
  'audit',
] as const
const waiting = ['exports', 'imports', 'webhooks'] as const
const guide = 'guide'

const write = (path: string, content: string): Call => ({
  name: 'write_file',
  input: { file_path: path, content },
})
const title = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** The handbook says one thing about each resource, so that two who rewrite it meet in more than one place. */
function handbook(amounts: string, errors: string): string {
  const chapters = [...resources, ...waiting].map(
    (name) =>
      `## ${title(name)}\n\nGET /${name} lists them, newest first.\nPOST /${name} makes one and answers with it.\n`,
  )
  return `# Handbook\n\nAmounts are ${amounts}.\n\n${chapters.join('\n')}\n## Errors\n\n${errors}\n`
}

function routeOf(name: string, amount: string): string {
  return [
    `import { ${amount} } from '../money.js'`,
    '',
    `/** ${title(name)} of one account, with whole cents. */`,
    `export function ${name}(account, { from = 0, most = 50 } = {}) {`,
    `  const found = account.entries.filter((entry) => entry.kind === '${name}')`,
    `  return found.slice(from, from + most).map((entry) => ({ ...entry, amount: ${amount}(entry.cents) }))`,
    '}',
    '',
  ].join('\n')
}

const money = `/** Whole cents, which no rounding can change. */
export const cents = (amount) => Math.round(amount * 100)
export const amount = (value) => ({ cents: value, text: (value / 100).toFixed(2) })
`
const moneyCheck = `for file in src/routes/*.js; do
  name=$(sed -n "s/^import { \\(.*\\) } from '..\\/money.js'/\\1/p" "$file")
  if [ -n "$name" ] && ! grep -q "export const $name " src/money.js; then
    echo "$file: money.js exports no '$name'"; exit 1
  fi
done
echo "every route uses money.js as it is"
`

const plan = (done: number): Call => ({
  name: 'write_todos',
  input: {
    todos: [
      'Read how amounts are kept today',
      'Add money.js with whole cents',
      'Give each resource to an agent',
      'Merge what is green',
      'Rewrite the handbook',
    ].map((content, at) => ({ content, status: at < done ? 'completed' : at === done ? 'in_progress' : 'pending' })),
  },
})

const usage = { input_tokens: 21_400, output_tokens: 1_150, cache_read_input_tokens: 96_000 }
/** The model thinks for ever, so this agent is at work in every picture. */
const still = new Promise<void>(() => undefined)

/** What an agent does, reply by reply. */
function workOf(name: string): readonly Answer[] {
  const route = write(`/src/routes/${name}.js`, routeOf(name, name === 'reports' ? 'rounded' : 'amount'))
  const end = { text: `${title(name)} use whole cents, with a test.`, usage }
  switch (name) {
    case guide:
      return [
        { calls: [write('/docs/handbook.md', handbook('whole cents, as integers', 'A code and a sentence.'))], usage },
        { text: 'The handbook speaks of whole cents.', usage },
      ]
    case 'audit':
      return [
        {
          calls: [route, write('/docs/handbook.md', handbook('strings such as "12.50"', 'A status and a text.'))],
          usage,
        },
        end,
      ]
    case 'webhooks':
      return [{ calls: [route, { name: 'execute', input: { command: examples } }], usage }]
    case 'exports':
    case 'imports':
      return [{ calls: [route], usage }, { after: still }]
    default:
      return [
        {
          calls: [route, write(`/tests/${name}.test.js`, `import { ${name} } from '../src/routes/${name}.js'\n`)],
          usage,
        },
        end,
      ]
  }
}

const examples = `mkdir -p docs/webhooks
for event in created changed refused; do
  echo "{ \\"event\\": \\"$event\\", \\"cents\\": 1250 }" > docs/webhooks/$event.json
done
ls docs/webhooks`

const names = [...resources, guide, ...waiting]

const scenario: Scenario = (request) => {
  const task = taskOf(request)
  const name = names.find((one) => task.startsWith(`${title(one)}:`))
  if (name) return workOf(name)[turnOf(request)] ?? { text: 'Done.' }
  const asked = names.map((one) => ({ name: one, task: `${title(one)}: keep amounts as whole cents, and test it.` }))
  const replies: readonly Answer[] = [
    {
      text: 'I look at how amounts are kept today.',
      calls: [plan(0), { name: 'read_file', input: { file_path: '/src/format.js' } }],
    },
    {
      text: 'Amounts are numbers with a fraction. One module keeps them as whole cents.',
      calls: [plan(1), write('/src/money.js', money)],
    },
    {
      text: 'Each resource gets an agent of its own.',
      calls: [plan(2), { name: 'spawn_subagents', input: { tasks: asked } }],
    },
  ]
  return { usage, ...(replies[turnOf(request)] ?? { text: 'All resources are ready for review.' }) }
}

export interface FullProject {
  readonly url: string
  readonly folder: string
  stop(): Promise<void>
}

/** Opens the app on the project in `above`, an empty folder. */
export async function openFullProject(above: string): Promise<FullProject> {
  const folder = join(above, 'ledger')
  const data = join(above, 'data')
  cpSync(join(root, 'e2e/fixtures/ledger'), folder, { recursive: true })
  writeFileSync(join(folder, 'docs/handbook.md'), handbook('numbers', 'An error has a status.'))
  writeFileSync(join(folder, 'check.sh'), moneyCheck)
  mkdirSync(data)
  writeFileSync(join(data, 'settings.json'), JSON.stringify({ checks: [{ name: 'money', run: 'sh check.sh' }] }))
  const model = await startModelServer(scenario)
  const app = await serveApp(data, { ANTHROPIC_API_KEY: 'sk-pictures', ANTHROPIC_BASE_URL: model.url })
  return {
    url: app.url,
    folder,
    async stop() {
      app.stop()
      await model[Symbol.asyncDispose]()
    },
  }
}

const branch = (page: Page, name: string) => page.getByRole('treeitem', { name, exact: true })

/** The screens, in order. Each entry goes to its screen from the previous one. */
export const fullVisit: readonly (readonly [string, (page: Page, project: FullProject) => Promise<void>])[] = [
  [
    'full-chat',
    async (page, { folder }) => {
      await page.getByRole('button', { name: 'Open folder' }).click()
      await page.getByRole('textbox', { name: 'Folder path' }).fill(folder)
      await page.getByRole('button', { name: 'Open this folder' }).click()
      await page.getByRole('button', { name: 'Trust', exact: true }).click()
      await page.getByRole('textbox', { name: 'Message' }).fill('Keep all amounts as whole cents')
      await page.getByRole('button', { name: 'Send' }).click()
      const card = page.getByRole('group', { name: 'Approval: execute by webhooks' })
      await expect(card.getByRole('button', { name: 'Keep', exact: true }), 'a card arms its buttons').toBeEnabled()
      await expect(page.getByText('3 at work')).toBeVisible()
    },
  ],
  [
    'full-branches',
    async (page) => {
      await page.getByRole('tab', { name: 'Branches' }).click()
      for (const [name, merged] of [
        ['accounts', 'Merged, 1 branch'],
        ['audit', 'Merged, 2 branches'],
      ] as const) {
        await branch(page, name).click()
        const review = page.getByRole('region', { name: `Review of ${name}` })
        await review.getByRole('button', { name: 'Merge all clean' }).click()
        await expect(branch(page, merged)).toBeVisible()
        await page.getByRole('button', { name: 'Close toast' }).first().click()
      }
      for (const [name, outcome] of [
        ['deposits', 'Green'],
        ['reports', 'Red'],
      ] as const) {
        await branch(page, name).focus()
        await page.keyboard.press('o')
        const dialog = page.getByRole('dialog', { name: `Checks of ${name}` })
        await dialog.getByRole('button', { name: 'Run checks' }).click()
        await expect(dialog.getByRole('region', { name: 'Output: money' })).toBeVisible()
        await page.keyboard.press('Escape')
        await expect(branch(page, name)).toContainText(outcome)
      }
      await branch(page, 'reports').click()
    },
  ],
  [
    'full-conflict',
    async (page) => {
      await branch(page, guide).click()
      await page.getByRole('row', { name: '/docs/handbook.md' }).getByRole('button', { name: 'Merge' }).click()
      const editor = page.getByRole('region', { name: 'Conflict in /docs/handbook.md' })
      await expect(editor.getByRole('status')).toHaveText('0 of 2 decided')
      await page.keyboard.press('2')
      await expect(editor.getByRole('status')).toHaveText('1 of 2 decided')
    },
  ],
]
