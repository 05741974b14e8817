import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import { byTask } from '../../e2e/model-server/scenario.ts'
import { openEditor, world } from './editor.testkit.ts'

const { session } = methods.agent
const say = (text: string) => [{ type: 'text', text } as const]

it('an edit is asked, kept and applied, and the folder is written only then', async () => {
  const place = await world(
    byTask({
      'change it': [
        { text: 'I change it.', calls: [{ id: 'e1', name: 'edit_file', input: { file_path: '/a.txt', old_string: 'one', new_string: 'two' } }] },
        { text: 'Done.' },
      ],
    }),
  )
  const editor = await openEditor(place, ({ options }) => options[0]?.optionId ?? null)
  const { sessionId } = await editor.agent.request(session.new, { cwd: place.folder, mcpServers: [] })
  const { stopReason } = await editor.agent.request(session.prompt, { sessionId, prompt: say('change it') })
  console.log(JSON.stringify(editor.updates, null, 1), JSON.stringify(editor.asked, null, 1), editor.errors())
  expect(stopReason).toBe('end_turn')
  expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n')
  editor.text()
  await editor.agent.request(session.prompt, { sessionId, prompt: say('/diff') })
  console.log(editor.text())
  await editor.agent.request(session.prompt, { sessionId, prompt: say('/apply') })
  console.log(editor.text())
  expect(readFileSync(join(place.folder, 'a.txt'), 'utf8')).toBe('two\n')
  await editor.agent.request(session.prompt, { sessionId, prompt: say('/undo') })
  console.log(editor.text())
})
