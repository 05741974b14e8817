import type { Brand } from '../base/brand.ts'

export type { BlobHash } from '#overlay'

export type ProjectId = Brand<'ProjectId'>
export type ThreadId = Brand<'ThreadId'>
export type BranchId = Brand<'BranchId'>
export type MessageId = Brand<'MessageId'>
/** The thread of entries about the project as a whole, such as a person's change of its memory. */
export const projectThread = 'project' as ThreadId
/** Given by the model; unique within its thread. */
export type ToolCallId = Brand<'ToolCallId'>
export type InterruptId = Brand<'InterruptId'>
/** Names a layer of a branch's environment. */
export type LayerId = Brand<'LayerId'>
/** How the model names a subagent's branch: `subagent_0`, `subagent_1`, … within one thread. */
export type Handle = Brand<'Handle'>
/** How the model names a process that stays: `process_0`, `process_1`, … within one thread. */
export type ProcessId = Brand<'ProcessId'>
/** Position of a journal entry in its project; starts at 1 and grows by one. */
export type Sequence = number
