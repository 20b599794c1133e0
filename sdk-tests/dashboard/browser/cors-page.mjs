// The script of a page that calls the gateway as an application in a browser does: with OpenAI's client. Its calls tell
// the test what the page could read.
import OpenAI from 'openai';

const MESSAGES = [{ role: 'user', content: 'Hello' }];

function create(api, key, body) {
  const client = new OpenAI({ baseURL: api, apiKey: key, dangerouslyAllowBrowser: true, maxRetries: 0 });
  return client.chat.completions.create({ model: 'tollgate/demo-chat', messages: MESSAGES, max_tokens: 16, ...body });
}

/** A call that can be read to its end, or what is known of its failure. */
window.call = async (api, key, body) => {
  try {
    const { data, response } = await create(api, key, body).withResponse();
    let text = '';
    for await (const chunk of body.stream ? data : [data]) {
      text += (chunk.choices[0]?.delta ?? chunk.choices[0]?.message)?.content ?? '';
    }
    return { status: response.status, hasText: text !== '', cost: response.headers.get('x-llm-cost-micro'), id: response.headers.get('x-request-id') };
  } catch (error) {
    return {
      status: error.status ?? null, code: error.code ?? null, id: error.requestID ?? null,
      retryAfter: error.headers?.get('retry-after') ?? null,
    };
  }
};
