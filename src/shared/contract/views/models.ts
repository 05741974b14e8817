import type { ProviderKind, SecretScheme, ThoughtMode } from '../../model/models/provider.ts'

/** One way to reach models, without its secret. */
export interface ProfileView {
  /** Stands before the slash of its models. */
  readonly name: string
  readonly kind: ProviderKind
  /** The preset that it was made from; null for none. */
  readonly preset: string | null
  /** Null for a cloud whose package knows its address. */
  readonly address: string | null
  readonly scheme: SecretScheme
  /** Where its secret comes from now; null for none. */
  readonly secret: 'memory' | 'stored' | 'environment' | 'command' | null
  /** What the settings say about the secret: the name of a variable, or the command. Null for the key store. */
  readonly secretPlace: string | null
  /** False for a profile that answers without a secret. */
  readonly needsSecret: boolean
  /** True for the profile of models that are named without one. */
  readonly usual: boolean
  /** True for the profile that every installation has. */
  readonly builtIn: boolean
  readonly concurrency: number
  /** What its settings say themselves. What is absent is as the preset says. */
  readonly own: ProfileOwn
  /** The models that are known, in the order of the settings, then of its server. */
  readonly models: readonly ProfileModel[]
}

/** The settings of a profile that a person may have made. */
export interface ProfileOwn {
  readonly kind?: ProviderKind
  readonly address?: string
  readonly scheme?: SecretScheme
  /** The variable that holds the key. */
  readonly env?: string
  /** The command that prints the key, as one line. */
  readonly command?: string
  readonly concurrency?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly thoughts?: ThoughtMode
  readonly region?: string
  readonly project?: string
  readonly resource?: string
}

export interface ProfileModel {
  /** As settings and threads name it. */
  readonly id: string
  /** For people. */
  readonly name: string
  /** Parts of requests that its server refused and that are left out now. */
  readonly refused: readonly string[]
  /** True when the settings say something of it. */
  readonly edited?: boolean
}

/** A server that was found on this machine. */
export interface LocalServer {
  /** The preset that fits it. */
  readonly preset: string
  /** For people. */
  readonly name: string
  readonly address: string
  /** The names of its models. */
  readonly models: readonly string[]
}

/** A server that many people use, as the form for a new profile offers it. */
export interface PresetView {
  readonly id: string
  readonly name: string
  readonly kind: ProviderKind
  /** Empty where a person must say it. */
  readonly address: string
  readonly scheme: SecretScheme
  /** The variable that usually holds the key; null for none. */
  readonly env: string | null
  readonly local: boolean
  /** The page of its maker. */
  readonly page: string
}

/** What one test of a model showed, ability by ability. */
export interface AbilityResult {
  readonly ability: 'reply' | 'streaming' | 'tools' | 'images' | 'caching' | 'thinking' | 'effort' | 'window'
  /** `unknown`: the answer did not tell. */
  readonly state: 'works' | 'refused' | 'unknown'
  /** A few words for a person, such as `200,000 tokens, as the server says`; empty for none. */
  readonly detail: string
}

export interface ModelTest {
  /** The model that was asked, as settings name it; null when none could be chosen. */
  readonly model: string | null
  /** False when no reply came. */
  readonly ok: boolean
  /** A sentence for a person. */
  readonly message: string
  readonly abilities: readonly AbilityResult[]
  /** Milliseconds until the first piece of the reply; null without one. */
  readonly firstMs: number | null
  /** US dollars of the test; null while the price is unknown. */
  readonly cost: number | null
  /** The models that the server listed. Empty when it has no list. */
  readonly models: readonly ProfileModel[]
}

/** What the models screen shows. */
export interface ModelsView {
  readonly profiles: readonly ProfileView[]
  readonly presets: readonly PresetView[]
  /** Sentences for a person: profiles that cannot be used, and why. */
  readonly problems: readonly string[]
  readonly subagentModel: string | null
  readonly summaryModel: string | null
  readonly fallback: readonly string[]
}
