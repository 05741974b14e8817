import { basename } from 'node:path'
import { type AgentContext, type ContentBlock, methods, type ReadTextFileRequest } from '@agentclientprotocol/sdk'
import type { DirectClient } from '#host/wiring/direct-client.ts'
import { mentionedFile, type TypedMessage } from './prompt-content.ts'
import type { Scene } from './updates/scene.ts'

/** Milliseconds for each answer. An editor that gives none must not keep the message back. */
const mostWait = 5_000

/**
 * The editor's texts of mentioned files that are not saved, as inputs, with what the agent is told about them. The agent
 * reads and changes the file as it is on disk and on its branch: a text that is only in the editor is no state that an apply
 * could be compared with. Asks about at most `room` files.
 */
export async function readUnsaved(
  {
    editor,
    readsBuffers,
    signal,
  }: { readonly editor: AgentContext; readonly readsBuffers: boolean; readonly signal: AbortSignal },
  client: DirectClient,
  { project, root }: Scene,
  blocks: readonly ContentBlock[],
  room: number,
): Promise<Pick<TypedMessage, 'text' | 'inputs'>> {
  const found: Pick<TypedMessage, 'inputs'> & { text: string } = { text: '', inputs: [] }
  if (!readsBuffers) return found
  const files = blocks.flatMap((block) =>
    block.type === 'resource_link' ? (mentionedFile(project, block.uri) ?? []) : [],
  )
  for (const { place, path } of files.slice(0, room)) {
    const request: ReadTextFileRequest = { sessionId: root, path: place }
    // A folder, or a file that the editor cannot open.
    const cancellationSignal = AbortSignal.any([signal, AbortSignal.timeout(mostWait)])
    const shown = await editor
      .request(methods.client.fs.readTextFile, request, { cancellationSignal, stopWaitingOnCancel: true })
      .catch(() => null)
    const saved = await client.files.read({ projectId: project.info().id, branchId: null, path })
    if (shown === null || (saved.kind === 'text' && (saved.truncated || saved.text === shown.content))) continue
    if (saved.kind !== 'text' && saved.kind !== 'absent') continue
    const name = `unsaved-${basename(path)}`
    found.inputs.push({ name, data: Buffer.from(shown.content).toString('base64') })
    found.text += `\n\nThe editor has changes of ${path} that are not saved. Its text there is the input ${name}.`
  }
  return found
}
