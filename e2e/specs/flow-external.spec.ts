import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Call, Scenario } from '../model-server/scenario.ts'
import { violationsAtNight } from '../support/axe.ts'
import { root } from '../support/coppice.ts'
import { expect, test } from '../support/window.ts'

const packages = join(root, 'bench/agents/node_modules')
const [claude, opencode] = ['.bin/claude-agent-acp', 'opencode-linux-x64/bin/opencode'].map((one) =>
  join(packages, one),
)
const arePresent = [claude, opencode].every((program) => existsSync(String(program)))
if (!arePresent) console.warn('SKIPPED: external agents in the window. npm ci --prefix bench/agents installs them.')

/** What the settings say of both, offline over the scripted model. */
function agentsOver(url: string) {
  const local_ports = [Number(new URL(url).port)]
  const provider = {
    anthropic: { options: { baseURL: `${url}/v1`, apiKey: 'sk-test' }, models: { 'claude-sonnet-4-5': {} } },
  }
  const config = { autoupdate: false, share: 'disabled', model: 'anthropic/claude-sonnet-4-5', provider }
  return [
    { name: 'ours', description: 'An agent of Coppice.', model: 'scripted' },
    {
      ...{ name: 'claude', description: 'Claude Code.', acp: claude, local_ports },
      env: {
        ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-test' },
        ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
      },
    },
    {
      ...{ name: 'opencode', description: 'OpenCode.', acp: `${opencode} acp`, local_ports },
      env: {
        ...{ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      },
    },
  ]
}

const parts = ['opencode 1', 'opencode 2', 'ours 3', 'ours 4', 'ours 5', 'ours 6'] as const

/** Claude Code has six subagents do a part each, two of which write the same line, and merges what its checks let through. */
function mixed(folder: string): Scenario {
  const own = (path: string, content: string): Call => ({ name: 'write_file', input: { file_path: path, content } })
  const theirs = (name: string): Call => ({ name: 'write', input: { filePath: join(folder, name), content: 'done\n' } })
  const tool = (name: string, input: object): Call => ({ name: `mcp__coppice__${name}`, input })
  const scripts: Record<string, readonly Call[]> = {
    main: [
      { name: 'Write', input: { file_path: join(folder, 'plan.md'), content: 'Six parts.\n' } },
      tool('spawn_subagents', {
        tasks: parts.map((part) => ({ task: `PART ${part}`, name: part, subagent_type: part.split(' ')[0] })),
      }),
      tool('merge_subagent', { handle: parts.map((_, at) => `subagent_${at}`), when: 'green' }),
    ],
    'opencode 1': [theirs('one.txt')],
    'opencode 2': [theirs('two.txt')],
    'ours 3': [own('/three.txt', 'done\n')],
    'ours 4': [own('/four.txt', 'done\n')],
    'ours 5': [own('/shared.txt', 'by the fifth\n')],
    'ours 6': [own('/shared.txt', 'by the sixth\n')],
  }
  return ({ messages, tools = [] }) => {
    if (tools.length === 0) return { text: 'Six parts' }
    const texts = messages.map(({ role, content }) => {
      const said =
        typeof content === 'string' ? content : content.map((one) => (one.type === 'text' ? one.text : '')).join(' ')
      return { role, part: /PART (\w+(?: \d)?)/.exec(said)?.[1] }
    })
    const last = texts.findLastIndex(({ role, part }) => role === 'user' && part !== undefined)
    const part = texts[last]?.part ?? ''
    const turn = texts.slice(last + 1).filter(({ role }) => role === 'assistant').length
    const call = scripts[part]?.[turn]
    return call
      ? { calls: [{ ...call, id: `toolu_${part.replace(' ', '_')}_${turn}` }] }
      : { text: `Part ${part} is done.` }
  }
}

test.describe('external agents', () => {
  test.skip(!arePresent, 'Claude Code and OpenCode are not installed here.')

  test('Claude Code has OpenCode and agents of ours work for it, and a person decides their conflict', async ({
    open,
    model,
    project,
    dataFolder,
  }) => {
    test.setTimeout(180_000)
    const checks = [{ name: 'plan', run: 'test -e plan.md' }]
    const settings = { model: 'agent/claude', approval_mode: 'auto', subagents: agentsOver(model.url), checks }
    writeFileSync(join(dataFolder, 'settings.json'), JSON.stringify(settings))
    const { page } = await open({ scenario: mixed(project.folder) })
    await page.getByRole('textbox', { name: 'Message' }).fill('PART main')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect(page.getByText('Part main is done.')).toBeVisible({ timeout: 120_000 })

    await page.getByRole('tab', { name: 'Branches' }).click()
    await page.getByRole('row', { name: '/shared.txt' }).getByRole('button', { name: 'Merge' }).click()
    const editor = page.getByRole('region', { name: 'Conflict in /shared.txt' })
    // Keys count once the conflict is there.
    await expect(editor.getByRole('status')).toHaveText(/^0 of \d+ decided$/)
    expect(await violationsAtNight(page), 'the conflict of external agents is accessible').toEqual([])
    await page.keyboard.press('2')
    await editor.getByRole('button', { name: 'Save result' }).click()
    await page.getByRole('tab', { name: 'Changes' }).click()
    for (const name of ['plan.md', 'one.txt', 'two.txt', 'three.txt', 'four.txt', 'shared.txt'])
      await expect(page.getByText(name).first()).toBeVisible()
  })
})
