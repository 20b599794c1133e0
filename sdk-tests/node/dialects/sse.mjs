// Server-sent events, with and without a name.
export const data = (event) => `data: ${JSON.stringify(event)}\n\n`;
export const named = (event) => `event: ${event.type}\n${data(event)}`;
