/** How a server of models is spoken to. */
export const providerKinds = ['anthropic', 'openai', 'bedrock', 'vertex', 'foundry'] as const
export type ProviderKind = (typeof providerKinds)[number]

/** How a key is sent: in the header `x-api-key`, as a bearer token, or not at all. */
export const secretSchemes = ['x-api-key', 'bearer', 'none'] as const
export type SecretScheme = (typeof secretSchemes)[number]

/**
 * How thoughts go back to the model that had them. `signed`: only those that its server signed. `all`: with and without
 * a signature. `as_text`: as text of the reply.
 */
export const thoughtModes = ['signed', 'all', 'as_text'] as const
export type ThoughtMode = (typeof thoughtModes)[number]

/** The profile that every installation has: the key and the address of the window or of the environment. */
export const builtInProfile = 'anthropic'
