import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFirefox } from '../../scripts/browser-options.ts'
import { byTask } from '../model-server/scenario.ts'
import { startCoppice } from '../support/coppice.ts'
import { openIn, startFirefox } from '../support/firefox.ts'
import { expect, test, urlOf } from '../support/window.ts'

const scenario = byTask({
  main: [
    { calls: [{ name: 'spawn_subagents', input: { tasks: [{ task: 'writer', name: 'writer' }] } }] },
    { calls: [{ name: 'execute', input: { command: 'echo approved > approved.txt' } }] },
    { text: '# All done\n\n| a | b |\n|---|--:|\n| 1 | 2 |' },
  ],
  writer: [
    { calls: [{ name: 'write_file', input: { file_path: '/by-writer.txt', content: 'From the branch\n' } }] },
    { text: 'Written.' },
  ],
})

test('The main flow works in Firefox: a task, an approval, a merge, a reload and an apply', {
  tag: '@nightly',
}, async ({ project, model, dataFolder }) => {
  test.skip(!findFirefox(), 'Firefox is not installed. On Debian: sudo apt-get install firefox-esr')
  test.setTimeout(180_000)
  project.mayChange()
  model.use(scenario)
  const env = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: model.url, COPPICE_DATA_DIR: dataFolder }
  const host = startCoppice(['serve', project.folder, '--port', '0', '--no-open'], env)
  const [browser, url] = await Promise.all([startFirefox(), urlOf(host)])
  try {
    const window = await openIn(browser, url)
    await window.click('textbox', 'Message')
    await window.type('main task')
    await window.press('Enter')
    await window.shows('group', 'Approval: execute by main')
    await window.press('F8')
    await window.click('button', 'Keep')
    await window.says('All done')

    await window.click('tab', 'Branches')
    await window.shows('row', '/by-writer.txt')
    await window.click('button', 'Merge')
    await window.says('Merged')

    await window.click('tab', 'Chat')
    await window.click('textbox', 'Message')
    await window.type('A draft that stays')
    await window.page.reload()
    await window.shows('textbox', 'Message')
    await window.page.waitForFunction(() => document.querySelector('textarea')?.value === 'A draft that stays')

    await window.click('tab', 'Changes')
    await window.click('button', 'Apply to disk')
    await window.click('button', 'Apply 2 files')
    await window.says('Applied')
    expect(readFileSync(join(project.folder, 'by-writer.txt'), 'utf8')).toBe('From the branch\n')
    expect(readFileSync(join(project.folder, 'approved.txt'), 'utf8')).toBe('approved\n')
    expect(window.errors).toEqual([])
  } finally {
    await browser.close()
    host.kill()
  }
})
