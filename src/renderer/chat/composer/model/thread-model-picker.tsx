import type { ReactNode, RefObject } from 'react'
import type { ThreadState } from '#shared/model/thread.ts'
import { ModelPicker } from '../../../parts/models/model-picker.tsx'
import { describeSwitch } from './switch-notes.ts'

interface ThreadModelPickerProps {
  readonly anchor: RefObject<HTMLElement | null>
  /** Null for a new thread. */
  readonly thread: ThreadState | null
  readonly chosen: string
  readonly onChoose: (model: string) => void
  readonly onClose: () => void
}

/** The search over all models, for the next message. Says what of the conversation another model does not get. */
export function ThreadModelPicker({ thread, onChoose, ...rest }: ThreadModelPickerProps): ReactNode {
  return (
    <ModelPicker
      {...rest}
      side="top"
      {...(thread && { noteFor: (model) => describeSwitch(thread, model) })}
      onChoose={(model) => model !== null && onChoose(model)}
    />
  )
}
