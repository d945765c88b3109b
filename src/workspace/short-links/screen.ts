import { defineScreens } from '#kernel/modules/screens.ts'

export default defineScreens({
  'short-links': {
    icon: 'link',
    columns: ['title', 'status', 'short_url', 'destination_url', 'click_count', 'last_clicked_at'],
    groups: [
      { title: 'Link', fields: ['title', 'code', 'short_url', 'destination_url', 'forwards_query', 'expires_at'] },
      { title: 'Campaign', fields: ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] },
    ],
    drawn: { record: 'link' },
  },
})
