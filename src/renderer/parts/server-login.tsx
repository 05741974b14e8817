import { ExternalLink, LogIn, LogOut } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import type { McpServerView } from '#shared/contract/views/extensions.ts'
import type { ProjectId } from '#shared/model/ids.ts'
import { useClient, useCommand } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { loginStrings } from '../strings/later/logins.ts'
import { Button } from '../ui/controls/button.tsx'
import { Field, TextInput } from '../ui/controls/field.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { RefusalNotice } from './refusal-notice.tsx'
import { useOpenLink } from './use-open-link.ts'

const labels = loginStrings

interface ServerLoginProps {
  readonly projectId: ProjectId
  readonly server: Pick<McpServerView, 'name' | 'hash' | 'login' | 'state'>
  /** Called when the login, or what is known of it, is another one. The same function while the list is the same. */
  readonly onChanged: () => void
}

/** Whose login a server gets, and how to log in and out. Nothing for a server that needs no login. */
export function ServerLogin({ projectId, server, onChanged }: ServerLoginProps): ReactNode {
  const { name, hash, login, state } = server
  const client = useClient()
  const openLink = useOpenLink()
  const command = useCommand()
  const [begun, setBegun] = useState<string | null>(null)
  const address = begun ?? login.address
  useEndOfLogin({ projectId, hash, address: begun === null ? login.address : null, onEnd: onChanged })
  const begin = async (remember: boolean): Promise<void> => {
    await command.run(async () => {
      const { address: page } = await client.mcp.login({ projectId, hash, remember })
      setBegun(page)
      openLink(page)
      await client.mcp.loggedIn({ projectId, hash })
    })
    setBegun(null)
    onChanged()
  }
  const needsLogin = state.kind === 'login'
  const account = needsLogin ? null : login.account
  return (
    <>
      {address !== null && <WaitingLogin projectId={projectId} server={server} address={address} />}
      {address === null && needsLogin && (
        <BeginLogin name={name} busy={command.busy} onBegin={(remember) => void begin(remember)} />
      )}
      {address === null && account && (
        <p className="flex flex-wrap items-center gap-2">
          <span className="[overflow-wrap:anywhere]">
            <VisibleText text={labels.loggedIn(account)} />
          </span>
          <Button
            icon={<LogOut size={14} aria-hidden />}
            aria-label={labels.logOutNamed(name)}
            disabled={command.busy}
            onClick={() => void command.run(() => client.mcp.logOut({ projectId, hash })).then(onChanged)}
          >
            {labels.logOut}
          </Button>
        </p>
      )}
      {command.refusal && <RefusalNotice refusal={command.refusal} />}
    </>
  )
}

/** Waits for a login that was begun before this was shown. */
function useEndOfLogin({
  projectId,
  hash,
  address,
  onEnd,
}: {
  readonly projectId: ProjectId
  readonly hash: string
  readonly address: string | null
  readonly onEnd: () => void
}): void {
  const client = useClient()
  useEffect(() => {
    if (address === null) return
    let isGone = false
    const end = () => {
      if (!isGone) onEnd()
    }
    client.mcp.loggedIn({ projectId, hash }).then(end, end)
    return () => {
      isGone = true
    }
  }, [client, projectId, hash, address, onEnd])
}

interface BeginLoginProps {
  readonly name: string
  readonly busy: boolean
  readonly onBegin: (remember: boolean) => void
}

function BeginLogin({ name, busy, onBegin }: BeginLoginProps): ReactNode {
  const [settings] = useQuery('settings.get', undefined)
  const storage = settings.value?.keyStorage ?? 'none'
  // Without a key store, a login is kept only by a person who asks for it.
  const [wanted, setWanted] = useState(false)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Button
        tone="primary"
        icon={<LogIn size={14} aria-hidden />}
        aria-label={labels.logInNamed(name)}
        disabled={busy}
        onClick={() => onBegin(storage === 'system' || (storage === 'plain' && wanted))}
      >
        {labels.logIn}
      </Button>
      {storage === 'plain' && (
        <label className="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            checked={wanted}
            onChange={({ target }) => setWanted(target.checked)}
            className="size-4 shrink-0 accent-accent-solid"
          />
          {labels.keepInFile}
        </label>
      )}
    </div>
  )
}

interface WaitingLoginProps extends Omit<ServerLoginProps, 'onChanged'> {
  readonly address: string
}

/** The page to log in at, whole, until the browser comes back. */
function WaitingLogin({ projectId, server: { hash }, address }: WaitingLoginProps): ReactNode {
  const client = useClient()
  const openLink = useOpenLink()
  const answering = useCommand()
  const [pasted, setPasted] = useState('')
  const answer = (event: FormEvent): void => {
    event.preventDefault()
    void answering.run(() => client.mcp.answerLogin({ projectId, hash, address: pasted }))
  }
  return (
    <div className="flex flex-col gap-2 rounded-md border border-line p-2">
      <p role="status">{labels.waiting}</p>
      <p className="font-mono text-xs [overflow-wrap:anywhere]">
        <VisibleText text={address} />
      </p>
      <div className="flex flex-wrap gap-2">
        <Button icon={<ExternalLink size={14} aria-hidden />} onClick={() => openLink(address)}>
          {labels.openPage}
        </Button>
        <Button onClick={() => void answering.run(() => client.mcp.cancelLogin({ projectId, hash }))}>
          {labels.cancel}
        </Button>
      </div>
      <details>
        <summary className="min-h-6 text-muted">{labels.otherMachine}</summary>
        <form onSubmit={answer} className="flex flex-col items-start gap-2 pt-1">
          <Field label={labels.pasteLabel} hint={labels.pasteHint}>
            {(id) => (
              <TextInput
                id={id}
                autoComplete="off"
                value={pasted}
                onChange={({ target }) => setPasted(target.value)}
                className="w-full"
              />
            )}
          </Field>
          <Button type="submit" disabled={answering.busy || pasted.trim() === ''}>
            {labels.use}
          </Button>
        </form>
      </details>
      {answering.refusal && <RefusalNotice refusal={answering.refusal} />}
    </div>
  )
}
