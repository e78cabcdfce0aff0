/** Whether this browser has WebRTC. Without it the page registers, and makes and takes no calls. */
export const canCall = typeof RTCPeerConnection === "function";
