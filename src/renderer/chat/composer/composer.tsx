import { ArrowUp, Square, StepForward } from 'lucide-react'
import { type KeyboardEvent, lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef } from 'react'
import { agentIn } from '#shared/model/models/agent-model.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { messageBoxMark } from '../../parts/message-box.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { useUpdateUi } from '../../state/hooks/hooks.tsx'
import { keysHere } from '../../state/preferences/keymap.ts'
import { showSettings } from '../../state/store/ui-state.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { withKeys } from '../../ui/react/elements.tsx'
import { TryWaysButton } from '../attempts/try-ways-button.tsx'
import { AddMenu } from './attach/add-menu.tsx'
import { AttachmentList } from './attach/attachment-list.tsx'
import { useFileDrop } from './attach/file-drop.ts'
import { CompletionList, useCompletions } from './completion/completion-list.tsx'
import { composerAction, useDoubleEscape, useSentHistory } from './composer-keys.ts'
import { GoalMenu } from './goal/goal-menu.tsx'
import { useGoal } from './goal/use-goal.ts'
import { ModeMenu } from './mode-menu.tsx'
import { EffortButton, ModelButton } from './model/model-button.tsx'
import { useComposer } from './use-composer.ts'
import { UsedRing } from './used-ring.tsx'

const SlashNote = lazy(async () => ({ default: (await import('./completion/slash-note.tsx')).SlashNote }))
const ColdCacheNote = lazy(async () => ({ default: (await import('./model/cold-cache-note.tsx')).ColdCacheNote }))

const labels = strings.chat

export interface ComposerSlots {
  /** The form that asks for a missing key. `onReady` sends the typed message. */
  readonly keyForm: (onReady: () => void) => ReactNode
  readonly tryDemo: ReactNode
}

interface ComposerProps extends ComposerSlots {
  readonly thread: ThreadState | null
  /**
   * True while the message box has the focus. A new thread's first message replaces the box with the thread's own,
   * and this moves the focus to the new box.
   */
  readonly typing: RefObject<boolean>
}

export function Composer({ thread, typing, keyForm, tryDemo }: ComposerProps): ReactNode {
  const composer = useComposer(thread)
  const goal = useGoal(thread)
  const { attachments } = composer
  const updateUi = useUpdateUi()
  // The form for a key is that of the built-in profile. Others are set up in the settings.
  const isBuiltIn = (composer.facts?.profile ?? builtInProfile) === builtInProfile
  const dropping = useFileDrop(attachments.attach)
  const field = useRef<HTMLTextAreaElement>(null)
  const completions = useCompletions({ field, ...composer, onCommand: composer.command })
  const history = useSentHistory({ thread, ...composer })
  const doubleEscape = useDoubleEscape(thread !== null && !composer.running && composer.text === '')
  useAutoHeight(field, composer.text)
  useEffect(() => {
    if (!typing.current || !field.current) return
    field.current.focus()
    field.current.setSelectionRange(field.current.value.length, field.current.value.length)
  }, [typing])

  function onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (completions.onKeyDown(event) || history.onKeyDown(event)) return
    if (doubleEscape.onKeyDown(event)) return
    const action = composerAction({ ...keysOf(event), isComposing: event.nativeEvent.isComposing }, composer.running)
    if (action === 'none') return
    event.preventDefault()
    if (action === 'stop') void composer.stop()
    else if (action === 'step') void composer.step()
    else void composer.send(action === 'steer' ? 'steer' : 'queue')
  }

  return (
    <div className="shrink-0 border-line border-t px-4 pt-2 pb-3">
      <div className="mx-auto flex max-w-3xl flex-col gap-2">
        {composer.refusal?.code === 'NO_KEY' && !isBuiltIn ? (
          <Notice
            tone="warning"
            title={labels.noKeyTitle}
            detail={composer.refusal.message}
            actions={<Button onClick={() => updateUi((ui) => showSettings(ui, 'models'))}>{labels.openModels}</Button>}
          />
        ) : composer.refusal?.code === 'NO_KEY' ? (
          <section
            aria-label={labels.noKeyTitle}
            className="flex flex-col gap-3 rounded-lg border border-line-strong p-3"
          >
            <Notice tone="warning" title={labels.noKeyTitle} detail={labels.noKeyDetail} actions={tryDemo} />
            {keyForm(() => void composer.send('queue'))}
          </section>
        ) : (
          composer.refusal && <RefusalNotice refusal={composer.refusal} />
        )}
        {withKeys(attachments.refusals).map(({ key, item }) => (
          <RefusalNotice key={key} refusal={item} />
        ))}
        {thread?.contextTokens != null && (
          <Suspense>
            <ColdCacheNote thread={thread} />
          </Suspense>
        )}
        <div className="relative rounded-lg border border-line-strong bg-raised focus-within:border-accent">
          {dropping && (
            <p className="absolute inset-0 z-10 flex items-center justify-center rounded-lg border border-accent border-dashed bg-accent-soft font-medium text-accent">
              {strings.attachments.drop}
            </p>
          )}
          {completions.open && <CompletionList completions={completions} />}
          {composer.text.trimStart().startsWith('/') && (
            <Suspense>
              <SlashNote text={composer.text} thread={thread} />
            </Suspense>
          )}
          <textarea
            {...messageBoxMark}
            ref={field}
            aria-label={labels.message}
            aria-autocomplete="list"
            aria-controls={completions.open ? completions.listId : undefined}
            aria-activedescendant={completions.activeId ?? undefined}
            rows={1}
            value={composer.text}
            placeholder={placeholderOf(composer)}
            onChange={(event) => {
              composer.setText(event.target.value)
              completions.onSelect()
            }}
            onSelect={completions.onSelect}
            onKeyDown={onKeyDown}
            onFocus={() => {
              typing.current = true
            }}
            onBlur={() => {
              // Removing the focused box does not call this, so `typing` stays true for the next box.
              typing.current = false
              completions.onBlur()
            }}
            onPaste={(event) => attachments.attach(event.clipboardData.files)}
            className="block max-h-[40vh] min-h-11 w-full resize-none bg-transparent px-3 pt-2.5 text-base outline-none"
          />
          <AttachmentList attachments={composer.attachments} />
          <div className="flex flex-wrap items-center gap-1 p-1.5">
            <AddMenu
              schema={composer.answerSchema}
              onFiles={attachments.attach}
              onSchema={composer.chooseAnswerSchema}
              goal={goal}
            />
            <ModeMenu mode={composer.mode} onChoose={composer.chooseMode} own={composer.ownModes} />
            {goal.goal && <GoalMenu goal={goal.goal} onChoose={goal.choose} />}
            <ModelButton thread={thread} model={composer.model} onChoose={composer.chooseModel} />
            <EffortButton model={composer.facts} choice={composer.effort} onChoose={composer.chooseEffort} />
            <span className="ml-auto flex shrink-0 items-center gap-1.5">
              {thread && <UsedRing />}
              {composer.running && (
                <Button tone="danger" icon={<Square size={13} aria-hidden />} onClick={() => void composer.stop()}>
                  {labels.stop}
                </Button>
              )}
              {!composer.running && !thread?.parent && (
                <Button
                  icon={<StepForward size={14} aria-hidden />}
                  aria-label={labels.step}
                  title={labels.stepHint(keysHere('Alt+Enter'))}
                  disabled={composer.busy || composer.empty}
                  onClick={() => void composer.step()}
                >
                  {labels.step}
                </Button>
              )}
              {!composer.running && !thread?.parent && agentIn(composer.model) === null && (
                <TryWaysButton
                  disabled={composer.busy || composer.empty}
                  busy={composer.busy}
                  refusal={composer.refusal}
                  onSend={composer.tryWays}
                />
              )}
              <Button
                tone="primary"
                icon={<ArrowUp size={14} aria-hidden />}
                title={composer.running ? labels.sendHint.running : labels.sendHint.idle}
                disabled={composer.busy || composer.empty}
                onClick={() => void composer.send('queue')}
              >
                {labels.send}
              </Button>
            </span>
          </div>
        </div>
      </div>
    </div>
  )
}

function keysOf({
  key,
  shiftKey,
  ctrlKey,
  metaKey,
  altKey,
}: KeyboardEvent): Omit<Parameters<typeof composerAction>[0], 'isComposing'> {
  return { key, shiftKey, ctrlKey, metaKey, altKey }
}

/** The width changes with the window, and when a pane beside the box opens, closes or moves. */
function useAutoHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useEffect(() => {
    const element = field.current
    if (!element) return
    let width = 0
    function adapt(): void {
      if (!element || element.value !== text || element.clientWidth === 0) return
      width = element.clientWidth
      element.style.height = 'auto'
      // An empty box grows too, when its hint needs several lines.
      element.style.height = `${element.scrollHeight}px`
    }
    adapt()
    let frame = 0
    // In the next frame, because a new height would notify the observer again within this one.
    const observer = new ResizeObserver(() => {
      cancelAnimationFrame(frame)
      if (element.clientWidth !== width) frame = requestAnimationFrame(adapt)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [field, text])
}

function placeholderOf({ running, model }: { readonly running: boolean; readonly model: string }): string {
  if (!running) return labels.placeholder
  return agentIn(model) === null ? labels.placeholderRunning(keysHere('Mod+Enter')) : labels.placeholderExternal
}
