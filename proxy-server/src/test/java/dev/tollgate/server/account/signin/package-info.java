@NullMarked
package dev.tollgate.server.account.signin;

import org.jspecify.annotations.NullMarked;
