import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { accessOf, type ToolFacts, toolFacts } from '#shared/tools/tool-facts.ts'
import type { FileAccess } from '../secrets/file-access.ts'
import { isSecret } from '../secrets/judge-secret.ts'
import { isSecretFile } from '../secrets/secret-files.ts'
import { effectKinds } from './effects.ts'
import { hasPatterns, type InterruptSettings, resolveSettings } from './interrupt-settings.ts'
import { createJudge, type JudgedCall, type PolicyOptions, type PolicySettings } from './policy.ts'
import { parseRule } from './rules.ts'

/**
 * Judges each file as if its own call named it. The mode is ignored, because the running call has already passed it.
 * A setting about a whole tool is judged for the call, by what it changed. Approved calls may change files that ask.
 */
export function fileAccess(options: PolicyOptions, approved = false): FileAccess {
  const perFile = { ...options, interruptOn: withPatterns(options.interruptOn), strictestMode: undefined }
  const [reading, changing] = [
    createJudge({ ...options, strictestMode: undefined }),
    createJudge({ ...perFile, narrowing: options.narrowing?.map(withPatterns) }),
  ]
  const question = (tool: ToolFacts, path: VirtualPath): JudgedCall => ({
    tool,
    access: accessOf(tool.access, { file_path: path }),
    mode: 'auto',
  })
  const { rules, unclear } = options
  const settings = [options.interruptOn, ...(options.narrowing ?? [])]
  const patterns = settings.map((one) => withPatterns(one).size)
  const hasRules = rules.deny.length + rules.ask.length + rules.allow.length > 0
  const isDefault = !hasRules && unclear === undefined && settings.every(({ size }) => size === 0)
  const isReadable = (path: VirtualPath, secret?: VirtualPath | null): boolean =>
    isDefault
      ? secret === null || (secret === undefined && !isSecretFile(path))
      : reading({ ...question(toolFacts.read_file, path), holdsSecret: secret }).kind === 'run'
  return {
    protectsFiles: rules.deny.length + rules.ask.length + Math.max(...patterns) > 0,
    // Programs are shown thousands of files, so the answer without any setting is given at once.
    mayRead: (path) => isReadable(path),
    mayReadByRules: (path) => isReadable(path, null),
    mayShow: (path, bytes) => isReadable(path, isSecret(path, bytes) ? path : null),
    mayChange(path) {
      const effects = effectKinds.map((kind) => ({ kind, path }))
      const { kind } = changing({ ...question(toolFacts.write_file, path), effects })
      return kind === 'run' || (approved && kind === 'ask')
    },
  }
}

/**
 * Access to files that become part of a prompt, such as instructions and what they import. Their folder is trusted, so
 * a setting about every reading means the agents' calls. Settings and rules about some files, and secrets, count.
 */
export function promptFileAccess(settings: PolicySettings): FileAccess {
  const byOwnName = (one: InterruptSettings): InterruptSettings =>
    withPatterns(resolveSettings(one, { tools: [], prefixes: [] }))
  return fileAccess({
    ...settings,
    interruptOn: byOwnName(settings.interruptOn),
    narrowing: settings.narrowing?.map(byOwnName),
    rules: {
      ...settings.rules,
      ask: settings.rules.ask.filter(hasPattern),
      deny: settings.rules.deny.filter(hasPattern),
    },
    sandboxed: false,
  })
}

function hasPattern(rule: string): boolean {
  return (parseRule(rule)?.pattern ?? null) !== null
}

/** The settings that apply only to some files. */
function withPatterns(settings: InterruptSettings): InterruptSettings {
  return new Map([...settings].filter(([, setting]) => hasPatterns(setting)))
}
