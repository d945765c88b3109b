/** Introduction of the API documents: rules that apply to all operations. docs/api-conventions.md has the details. */

const apis = {
  workspace: {
    about: `The API of a workspace: what its users do with customers, documents, stock, projects and mail. Each module is a section; one that the
workspace doesn’t have installed answers 403 \`MODULE_NOT_INSTALLED\`.`,
    workspace: ' (and, where the address is known to several workspaces, `workspace`: the slug of one)',
    logout: '/auth/logout',
  },
  platform: {
    about: `The operator’s API: workspaces and their owners, the catalogue of modules, subscriptions, invoices and payments, gateways, platform
users and settings.`,
    workspace: '',
    logout: '/me/logout',
  },
}

/** Returns the introduction of an API's document in Markdown; `codes` are its error codes with their causes. */
export const introduction = (surface: keyof typeof apis, codes: [string, string][]) => {
  const { about, workspace, logout } = apis[surface]
  return `${about}

# Signing in

\`POST /auth/login\` with \`email\` and \`password\`${workspace} answers \`data.token\`. Send it with every request:
\`Authorization: Bearer <token>\`. Whoever has a second factor gets a \`challenge_token\` instead, which \`/auth/two-factor/challenge\` exchanges
with a code. Programs use an API key in the token’s place, made by \`POST /api-keys\` and narrowed to some permissions. A token lasts as long as the platform’s settings say, and ends with \`POST ${logout}\`, a new password or a suspension.

# Replies

Every JSON reply is \`{"status", "message", "data", "meta"}\`: \`data\` is what was asked for, \`message\` a sentence for people, \`meta\` where in a
list one is, else null. Unknown fields of a body are ignored; \`PUT\` and \`PATCH\` change what is sent and keep the rest. Instants are UTC
(\`2026-11-20T09:30:00.000Z\`), dates \`YYYY-MM-DD\` in the calendar of the workspace. Money and quantities are exact JSON numbers: parse them as decimals.

# Lists

\`page\` counts from 1, \`per_page\` is 25 unless sent and 100 at most, \`sort\` names a field and \`direction\` is \`asc\` or \`desc\`; the newest come first
unless sent. All filters that are sent must match. Follow \`meta.next_page_url\` until it is null.

# Misspelt parameters

Query parameters that an operation doesn’t know are ignored. With \`Prefer: handling=strict\` they are a 422 that names them and the nearest right
ones: send it while you write a client.

# Doing something once

Send a new \`Idempotency-Key\` (up to 255 characters, a UUID for instance) with each POST and keep it when you try again: the same key with the same
body gets the first reply again for 24 hours, with \`Idempotency-Replayed: true\`, and nothing is done twice. Another body under the key is a 422, a
first request that still runs a 409.

# Trying without doing

With \`Dry-Run: true\` a write is judged and answered as it would be, and nothing of it stays. What works in several steps or with other servers is a 422
\`DRY_RUN_UNSUPPORTED\`.

# Changing what one has seen

The reply of a record has an \`ETag\`. Sent as \`If-Match\` with a change or deletion, the change is made in that state only; 412 when somebody else
was faster. Sent as \`If-None-Match\` with another GET, the reply is a 304 as long as it would say the same.

# Limits

Operations that are limited answer \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds), and a 429 \`Retry-After\` as well. A JSON
body may have 16 KB where its fields hold no more, up to 1 MB elsewhere.

# Errors

\`{"status": "error", "message", "code", "request_id", "errors"}\`: \`code\` is for programs, \`message\` for people, \`request_id\` for support. With a 422
\`errors\` says what is wrong by the dotted name of the field (\`lines.0.quantity\`). Try again after a 429, 502 or 503, with the same
\`Idempotency-Key\`; other errors stay what they are.

| \`code\` | When |
| --- | --- |
${codes.map(([code, when]) => `| \`${code}\` | ${when} |`).join('\n')}
`
}
