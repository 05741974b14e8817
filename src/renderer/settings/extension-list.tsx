import { Copy, FileText, Plus } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { ExtensionList, FoundExtension } from '#shared/contract/views/extensions.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { formatCount } from '#shared/text/format.ts'
import { copyText } from '../parts/copy-text.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useApp, useClient, useCommand, useUpdateUi } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { openFile } from '../state/store/ui-state.ts'
import { extensionStrings } from '../strings/later/extensions.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Field, TextArea, TextInput } from '../ui/controls/field.tsx'
import { Empty, Notice } from '../ui/controls/notice.tsx'
import { toastNote } from '../ui/controls/toast.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = extensionStrings

/** The agents or skills that the user and the open project define, and the problems in their definitions. */
export function ExtensionSection({ kind, onAdded }: NewExtensionProps): ReactNode {
  const projectInfo = useApp((state) => state.projectInfo)
  const [list, reload] = useQuery('extensions.list', projectInfo && { projectId: projectInfo.id })
  if (!projectInfo) {
    return (
      <>
        <Empty title={labels.noProject} detail={labels.noProjectDetail} />
        <NewExtensionForm kind={kind} onAdded={onAdded} />
      </>
    )
  }
  if (list.state === 'failed') return <RefusalNotice refusal={list.refusal} onRetry={reload} />
  if (!list.value) return <p className="text-muted">{strings.common.loading}</p>
  const found: readonly FoundExtension[] = list.value[kind]
  return (
    <section aria-label={labels.title[kind]} className="flex flex-col gap-3">
      {/* The section of the settings that lists skills has the same title. */}
      <h3 className={kind === 'skills' ? 'sr-only' : 'font-semibold'}>{labels.title[kind]}</h3>
      {!projectInfo.trusted && <p className="text-muted">{labels.untrusted}</p>}
      <Problems problems={list.value.problems} />
      {found.length === 0 && <Empty title={labels.none[kind]} detail={labels.noneDetail[kind]} />}
      {found.length > 0 && (
        <p className="text-muted">{labels.cost(formatCount(found.reduce((sum, { tokens }) => sum + tokens, 0)))}</p>
      )}
      <ul className="flex flex-col">
        {found.map((one) => (
          <li key={`${one.source} ${one.name}`} className="border-line py-2 [overflow-wrap:anywhere] not-last:border-b">
            <p className="font-medium">
              <VisibleText text={one.name} />
            </p>
            <p>
              <VisibleText text={one.description} />
            </p>
            <p className="flex flex-wrap items-center gap-2 text-muted text-xs">
              <span className="min-w-0">
                <VisibleText text={details(one)} />
              </span>
              <OpenSource source={one.source} />
            </p>
          </li>
        ))}
      </ul>
      <NewExtensionForm
        kind={kind}
        onAdded={() => {
          reload()
          onAdded()
        }}
      />
    </section>
  )
}

/** Opens a definition of the project in the window. For one of the user's own, copies its path. */
export function OpenSource({ source }: { source: string }): ReactNode {
  const updateUi = useUpdateUi()
  const folder = useApp((state) => state.info?.homeFolder ?? '')
  const isOfProject = source.startsWith('/.')
  const open = (): void => updateUi((ui) => openFile(ui, source as VirtualPath))
  const copy = (): void => copyText(source)
  return (
    <Button
      tone="quiet"
      aria-label={isOfProject ? labels.openNamed(source) : labels.copyPathNamed(source.replace(folder, '~'))}
      icon={isOfProject ? <FileText size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
      onClick={isOfProject ? open : copy}
    >
      {isOfProject ? labels.open : labels.copyPath}
    </Button>
  )
}

export function Problems({ problems }: Pick<ExtensionList, 'problems'>): ReactNode {
  return problems.map(({ file, line, message }) => (
    <Notice
      key={`${file} ${line} ${message}`}
      tone="warning"
      title={labels.problem}
      detail={file === '' ? message : `${file}${line === null ? '' : `:${line}`} – ${message}`}
    />
  ))
}

function details({ source, compatibility, ...one }: FoundExtension): string {
  const { model, tokens, tools, mode, answersInJson, unknownKeys } = one
  return [
    source,
    compatibility && labels.compatibility(compatibility),
    mode === 'tool' && labels.toolMode,
    answersInJson && labels.answersInJson,
    model && labels.model(model),
    tools && labels.tools(tools),
    unknownKeys.length > 0 && labels.unknownKeys(unknownKeys),
    labels.tokens(tokens),
  ]
    .filter(Boolean)
    .join(' · ')
}

interface NewExtensionProps {
  readonly kind: 'agents' | 'skills'
  readonly onAdded: () => void
}

const empty = { name: '', description: '', text: '' }

/** Defines a new agent or skill in the user's own settings, never in the project. */
function NewExtensionForm({ kind, onAdded }: NewExtensionProps): ReactNode {
  const client = useClient()
  const adding = useCommand()
  const [open, setOpen] = useState(false)
  const [given, setGiven] = useState(empty)
  const { name, description, text } = given
  const ready =
    /^[A-Za-z0-9][\w.-]*$/.test(name.trim()) && description.trim() !== '' && (kind === 'agents' || text.trim())
  const title = labels.newTitle[kind]

  async function add(event: FormEvent): Promise<void> {
    event.preventDefault()
    const named = { name: name.trim(), description: description.trim() }
    const done = await adding.run(() =>
      kind === 'agents'
        ? client.extensions.addAgent({ ...named, ...(text.trim() && { prompt: text.trim() }) })
        : client.extensions.addSkill({ ...named, body: text.trim() }),
    )
    if (!done) return
    setGiven(empty)
    setOpen(false)
    toastNote(labels.added(named.name))
    onAdded()
  }

  if (!open) {
    return (
      <Button className="self-start" icon={<Plus size={14} aria-hidden />} onClick={() => setOpen(true)}>
        {title}
      </Button>
    )
  }
  return (
    <form
      aria-label={title}
      onSubmit={(event) => void add(event)}
      className="flex flex-col gap-3 rounded-lg border border-line p-3"
    >
      <p className="text-muted">{labels.newAbout[kind]}</p>
      <Field label={labels.name} hint={labels.nameHint}>
        {(id) => (
          <TextInput id={id} value={name} onChange={({ target }) => setGiven({ ...given, name: target.value })} />
        )}
      </Field>
      <Field label={labels.description} hint={labels.descriptionHint[kind]}>
        {(id) => (
          <TextArea
            id={id}
            rows={2}
            value={description}
            onChange={({ target }) => setGiven({ ...given, description: target.value })}
          />
        )}
      </Field>
      <Field label={labels.text[kind]}>
        {(id) => (
          <TextArea
            id={id}
            rows={6}
            value={text}
            onChange={({ target }) => setGiven({ ...given, text: target.value })}
          />
        )}
      </Field>
      {adding.refusal && <RefusalNotice refusal={adding.refusal} />}
      <div className="flex gap-2">
        <Button type="submit" tone="primary" disabled={!ready || adding.busy}>
          {labels.create}
        </Button>
        <Button onClick={() => setOpen(false)}>{strings.common.cancel}</Button>
      </div>
    </form>
  )
}
