package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.MediaUrl;

/**
 * Media URL in the messages of a chat.
 *
 * @param from offset of its JSON string in the request's array
 * @param to offset behind the string
 */
record MediaString(MediaUrl media, int from, int to) {}
