package io.penstock.gateway.admin;

/** A request to the operators' API that cannot be understood; the message says what to change. */
final class BadRequestException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    BadRequestException(String message) {
        super(message);
    }
}
