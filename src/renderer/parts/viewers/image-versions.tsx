import { type ReactNode, useId, useState } from 'react'
import type { FileVersion } from '#shared/contract/views/files.ts'
import { formatBytes } from '#shared/text/format.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import { mediaTypeOf } from './viewer-kind.ts'

const labels = strings.viewers

interface ImageVersionsProps {
  readonly path: string
  readonly before: FileVersion | null
  readonly after: FileVersion | null
}

/** An image before and after: side by side, or one over the other. An image that is drawn as one cannot run scripts. */
export function ImageVersions({ path, before, after }: ImageVersionsProps): ReactNode {
  const [over, setOver] = useState(false)
  if (!before || !after) {
    const only = after ?? before
    return (
      <div className="flex flex-wrap justify-center gap-4 p-4">
        {only && <Picture path={path} version={only} label={after ? labels.added : labels.removed} />}
      </div>
    )
  }
  return (
    <div className="flex flex-col items-center gap-3 p-4">
      <span className="flex gap-1">
        <Button aria-pressed={!over} onClick={() => setOver(false)}>
          {labels.sideBySide}
        </Button>
        <Button aria-pressed={over} onClick={() => setOver(true)}>
          {labels.onionSkin}
        </Button>
      </span>
      {over ? (
        <OnionSkin path={path} before={before} after={after} />
      ) : (
        <div className="grid w-full grid-cols-2 gap-4">
          <Picture path={path} version={before} label={labels.before} />
          <Picture path={path} version={after} label={labels.after} />
        </div>
      )}
    </div>
  )
}

/** A grey pattern below, so that transparent parts can be seen. */
const checked =
  'bg-[repeating-conic-gradient(var(--hover)_0_25%,var(--canvas)_0_50%)] bg-[length:16px_16px] border border-line-strong'

interface PictureProps {
  readonly path: string
  readonly version: FileVersion
  readonly label: string
}

function Picture({ path, version, label }: PictureProps): ReactNode {
  const [size, setSize] = useState<string | null>(null)
  const [broken, setBroken] = useState(false)
  return (
    <figure className="flex min-w-0 flex-col items-center gap-1.5">
      <figcaption className="text-muted text-xs tabular-nums">
        <span className="font-semibold">{label}</span> {size && `${size} · `}
        {formatBytes(version.size)}
      </figcaption>
      {version.base64 === null || broken ? (
        <p className="p-4 text-muted">{broken ? labels.broken : labels.tooLarge}</p>
      ) : (
        <img
          alt={`${label}: ${path}`}
          src={sourceOf(path, version.base64)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setSize(labels.pixels(naturalWidth, naturalHeight))
          }
          onError={() => setBroken(true)}
          className={`max-h-[60vh] max-w-full object-contain ${checked}`}
        />
      )}
    </figure>
  )
}

function sourceOf(path: string, base64: string): string {
  return `data:${mediaTypeOf(path)};base64,${base64}`
}

interface OnionSkinProps {
  readonly path: string
  readonly before: FileVersion
  readonly after: FileVersion
}

function OnionSkin({ path, before, after }: OnionSkinProps): ReactNode {
  const [share, setShare] = useState(50)
  const id = useId()
  return (
    <>
      <div className={`grid max-w-full place-items-center ${checked}`}>
        {[before, after].map((version, place) => (
          <img
            key={place === 0 ? 'before' : 'after'}
            alt={`${place === 0 ? labels.before : labels.after}: ${path}`}
            src={sourceOf(path, version.base64 ?? '')}
            style={{ opacity: place === 0 ? 1 : share / 100 }}
            className="col-start-1 row-start-1 max-h-[60vh] max-w-full object-contain"
          />
        ))}
      </div>
      <span className="flex items-center gap-2 text-muted text-xs">
        <label htmlFor={id}>{labels.shareOfAfter}</label>
        <input
          id={id}
          type="range"
          min={0}
          max={100}
          value={share}
          onChange={({ target }) => setShare(target.valueAsNumber)}
          className="w-48 accent-accent-solid"
        />
        <span className="w-9 text-right tabular-nums">{share} %</span>
      </span>
    </>
  )
}
