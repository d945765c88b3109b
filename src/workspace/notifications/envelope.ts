/**
 * Payload of a notification, with one schema for all producers (NTF-01 … NTF-16). Fields may be added; their meaning never
 * changes.
 */
import { z } from 'zod'
import { CATEGORIES, SOURCES } from '#kernel/modules/notifications.ts'
import { RECORDS, TYPES } from './catalogue.ts'

export const SCHEMA_VERSION = 1

export const MAX_SAMPLES = 5

const Route = z
  .object({
    resource: z.enum(RECORDS).describe('The kind of record to open.'),
    action: z.enum(['show', 'list']).describe('Whether to open one record or a list.'),
    entity_id: z
      .int()
      .nullable()
      .meta({ description: 'Id of the record that it is about; null: several.', examples: [5] }),
    filters: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'With `list`: the query of that list.', examples: [{ assigned_to: 'me' }] }),
  })
  .meta({ id: 'NotificationRoute', description: 'Where a client leads to.' })

export const Envelope = z
  .object({
    schema_version: z.literal(SCHEMA_VERSION).describe('Version of this format. Fields may be added without a new one.'),
    type: z.string().meta({ description: `${TYPES.join(', ')}; with \`.digest\` for many at once.` }),
    category: z.enum(CATEGORIES).describe('By which preferences and screens group them.'),
    title: z.string().meta({ description: 'One line for people.', examples: ['A lead was given to you'] }),
    body: z.string().meta({ description: 'A sentence more.', examples: ['Ann Ash gave you Nordwind GmbH.'] }),
    entity_type: z.enum(RECORDS).nullable().describe('The kind of record that it is about; null: none.'),
    entity_id: z.int().nullable(),
    actor_id: z
      .int()
      .nullable()
      .meta({ description: 'Id of the user who caused it; null: the service did.', examples: [7] }),
    metadata: z.record(z.string(), z.unknown()).meta({ description: 'More about it, which depends on `type`.', examples: [{}] }),
    count: z
      .int()
      .optional()
      .meta({ description: 'Of a digest: how many there are.', examples: [3] }),
    batch_id: z.uuid().optional().describe('Of a digest: what the records have in common.'),
    dedupe_key: z.string().meta({ description: 'The same deed is told once: its key.', examples: ['lead.assigned:5:7'] }),
    source: z.enum(SOURCES).describe('How it came about.'),
    route: Route.describe('Where a client goes when the notification is opened.'),
    delivery: z
      .enum(['immediate', 'aggregated', 'scheduled'])
      .describe('Whether it was told at once, gathered into a digest, or at its time.'),
    broadcast_ready: z.boolean().describe('Whether open clients are told at once.'),
    sample_entity_ids: z
      .array(z.int())
      .max(MAX_SAMPLES)
      .optional()
      .meta({ description: 'Of a digest: the ids of some of the records.', examples: [[5, 6]] }),
  })
  .meta({ id: 'NotificationData' })
export type Envelope = z.infer<typeof Envelope>
