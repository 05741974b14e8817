import { demoModelId } from '#adapters/demo/demo-model.ts'
import { editQueue, type QueueEdit } from '#core/commands/queue.ts'
import { configureThread, renameThread, setAnswerSchema, setGoal, switchMemory } from '#core/commands/threads.ts'
import { editTodo, replaceTodos } from '#core/commands/todos.ts'
import { fromBase64, imageInfo, whyNotShown } from '#core/tools/files/image-info.ts'
import type { JsonObject } from '#shared/base/json.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { type ImagePart, textOf } from '#shared/model/message.ts'
import type { QueuedMessage } from '#shared/model/thread.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer, InputOf } from '../app/implementer.ts'
import { examineAnswer, withAnswerSchema } from '../headless/answer-schema.ts'
import { usableSchema } from '../headless/read-answer.ts'
import { readAsked } from '../inputs/read-asked.ts'
import { type GivenInput, pdfReader, type ReadInput, readInput } from '../inputs/read-input.ts'
import { readNamed } from '../inputs/read-resources.ts'
import { storeInputs } from '../inputs/store-inputs.ts'
import { tellAgain } from '../inputs/tell-again.ts'
import { requireModel, requireStored, resolvedModel } from '../models/provider.ts'
import type { Project } from '../project/project.ts'
import { contextView } from './context-view.ts'
import { requireStart } from './require-start.ts'

export function threadHandlers(os: Implementer, parts: HostParts) {
  const { projects, provider } = parts
  const readPdf = pdfReader(parts.options.pdfWorkerPath)
  return {
    send: os.threads.send.handler(({ input }) => send(parts, readPdf, input)),
    checkInput: os.threads.checkInput.handler(async ({ input }) => {
      const { kind, about } = await readInput(givenInput(input), readPdf)
      return { kind, about }
    }),
    checkOutputSchema: os.threads.checkOutputSchema.handler(async ({ input }) => void usableSchema(input.schema)),
    checkAnswer: os.threads.checkAnswer.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const thread = project.requireActive(input.threadId)
      const message = thread.messages.find(({ messageId }) => messageId === input.messageId)
      if (!message) throw new WireError('NOT_FOUND', 'This answer is no longer part of the conversation.')
      return examineAnswer(project, thread.id, textOf(message.content))
    }),
    stop: os.threads.stop.handler(async ({ input }) => projects.get(input.projectId).runtime.stop(input.threadId)),
    continue: os.threads.continue.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { model } = project.requireActive(input.threadId)
      requireStored(provider, model)
      await requireStart(project, model)
      project.runtime.resume(input.threadId, { step: input.step })
    }),
    editQueue: os.threads.editQueue.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { model, end, status, queue } = project.requireActive(input.threadId)
      const startsRun = input.edit.kind === 'deliver' && end !== null && status !== 'queued'
      if (startsRun) {
        requireStored(provider, model)
        await requireStart(project, model)
      }
      project.run(
        editQueue(project.services, input.threadId, await withNotes(project, input.threadId, queue, input.edit)),
      )
      if (startsRun) project.runtime.resume(input.threadId)
    }),
    context: os.threads.context.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      return contextView(project.services, project.requireActive(input.threadId), provider.leftOut)
    }),
    compact: os.threads.compact.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      requireStored(provider, project.requireActive(input.threadId).model)
      project.runtime.compact(input.threadId, { goOn: input.goOn })
    }),
    retryNow: os.threads.retryNow.handler(async ({ input }) =>
      projects.get(input.projectId).runtime.retryNow(input.threadId),
    ),
    configure: os.threads.configure.handler(async ({ input }) => configure(parts, input)),
    rename: os.threads.rename.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      project.run(renameThread(project.services, input.threadId, input.title))
    }),
    writeTodos: os.threads.writeTodos.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      project.run(replaceTodos(project.services, input.threadId, input.todos))
    }),
    editTodo: os.threads.editTodo.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      return project.change(editTodo(project.services, input.threadId, input.edit))
    }),
  }
}

export type PdfReader = ReturnType<typeof pdfReader>

/**
 * Stores what a person said, to a new thread where none is named, and starts or goes on with its run. A new thread gets
 * `newId`, if one was given out before.
 */
export async function send(
  { projects, settings, provider }: HostParts,
  readPdf: PdfReader,
  input: InputOf<Implementer['threads']['send']>,
  newId?: ThreadId,
): Promise<{ readonly threadId: ThreadId }> {
  if (input.text.trim() === '' && input.images.length === 0 && input.inputs.length === 0)
    throw new WireError('BAD_REQUEST', 'The message is empty. Type what the agent should do.')
  const project = projects.get(input.projectId)
  const known = input.threadId === null ? undefined : project.requireActive(input.threadId)
  const isKept = known !== undefined && (input.model === undefined || input.model === known.model)
  const model = isKept
    ? requireStored(provider, known.model)
    : requireModel(provider, input.model ?? defaultModel(project, settings.read().model))
  const approvalMode = input.approvalMode ?? known?.approvalMode ?? settings.read().approvalMode
  await requireStart(project, model)
  const problem = input.attempts ? project.runtime.attemptsProblem(input.attempts, model) : null
  if (problem !== null) throw new WireError('BAD_REQUEST', problem)
  const images = input.images.map(attachedImage)
  const given = await readInputs(input.inputs, readPdf)
  const asked = await readAsked(project, { threadId: known?.id ?? null, model }, input.text)
  const named = await readNamed(project, known?.id ?? null, input.text)
  const inputs = [...given, ...asked.inputs, ...named.inputs]
  const wantedShape = wantedSchema(input.outputSchema)
  const answerSchema = wantedShape === undefined ? (known?.answerSchema ?? null) : wantedShape
  const task = withAnswerSchema(`${input.text}${asked.note}`, answerSchema)
  const content = (threadId: ThreadId) =>
    [...images, ...named.images, { type: 'text', text: `${task}${storeInputs(project, threadId, inputs)}` }] as const
  const run = { step: input.step, command: asked.command, attempts: input.attempts }
  const { effort, thinking, agentMode } = input
  const wanted = { model, approvalMode, effort, thinking, agentMode }
  if (!known) {
    const title = input.text.trim() || (given[0]?.file ?? '')
    const begun = { id: newId, title, ...wanted, ...(answerSchema && { answerSchema }) }
    return { threadId: project.runtime.begin(begun, content, run) }
  }
  project.run(configureThread(project.services, { threadId: known.id, ...wanted }))
  if (input.outputSchema !== undefined)
    project.run(setAnswerSchema(project.services, { threadId: known.id, answerSchema }))
  project.runtime.send(known.id, content(known.id), input.delivery, run)
  return { threadId: known.id }
}

function configure({ projects, provider }: HostParts, input: InputOf<Implementer['threads']['configure']>): void {
  const project = projects.get(input.projectId)
  const { threadId, approvalMode, effort, thinking, agentMode, memory, goal, outputSchema } = input
  const { model: before } = project.requireActive(threadId)
  const { model: wanted = before } = input
  const model = wanted === before ? undefined : resolvedModel(provider, wanted)
  project.run(configureThread(project.services, { threadId, model, approvalMode, effort, thinking, agentMode }))
  if (memory !== undefined) project.run(switchMemory(project.services, { threadId, memory }))
  if (goal !== undefined)
    project.run(setGoal(project.services, project.services.checks.definitions(), { threadId, goal }))
  if (outputSchema !== undefined) {
    const answerSchema = wantedSchema(outputSchema) ?? null
    project.run(setAnswerSchema(project.services, { threadId, answerSchema }))
  }
}

/** Throws `BAD_REQUEST` for files that are too large together. */
function readInputs(files: readonly InputFile[], readPdf: PdfReader): Promise<readonly ReadInput[]> {
  const given = files.map(givenInput)
  if (given.reduce((sum, { bytes }) => sum + bytes.length, 0) > largestTogether)
    throw new WireError(
      'BAD_REQUEST',
      'The attached files are larger than 20 MB together. Put large files into the project folder and name them with @.',
    )
  return Promise.all(given.map((file) => readInput(file, readPdf)))
}

/** Adds to a rewritten message what the agent is told about what it names now. Other edits stay as they are. */
async function withNotes(
  project: Project,
  threadId: ThreadId,
  queue: readonly QueuedMessage[],
  edit: QueueEdit,
): Promise<QueueEdit> {
  const message = queue.find(({ messageId }) => messageId === edit.messageId)
  if (edit.kind !== 'rewrite' || !message) return edit
  const told = await tellAgain(project, threadId, { before: textOf(message.content), text: edit.text })
  return { ...edit, notes: told.notes, command: told.command }
}

/** Undefined and null are returned as they are. Throws `BAD_REQUEST` for a schema that cannot be used. */
function wantedSchema(schema: JsonObject | null | undefined): JsonObject | null | undefined {
  return schema ? usableSchema(schema) : schema
}

interface InputFile {
  readonly name: string
  /** Base64. */
  readonly data: string
}

function givenInput({ name, data }: InputFile): GivenInput {
  return { name, bytes: Buffer.from(data, 'base64') }
}

/** Bytes. One message must fit into one frame of the web frontend. */
const largestTogether = 20 * 1024 * 1024

/** The demo project answers from its script unless a person chose another model. */
function defaultModel(project: Project, configured: string): string {
  return project.info().kind === 'demo' ? demoModelId : configured
}

/**
 * Returns the image with the type of its bytes. Throws `BAD_REQUEST` for an image that a provider would refuse, because
 * every later request would fail with it.
 */
export function attachedImage(given: ImagePart): ImagePart {
  const bytes = fromBase64(given.data)
  const image = bytes && imageInfo(bytes)
  if (!image)
    throw new WireError('BAD_REQUEST', 'An attached image cannot be read. Attach a PNG, JPEG, GIF or WebP image.')
  const problem = whyNotShown(image, bytes.length)
  if (problem !== undefined) throw new WireError('BAD_REQUEST', `An attached image cannot be sent. ${problem}`)
  return { ...given, mediaType: image.mediaType }
}
